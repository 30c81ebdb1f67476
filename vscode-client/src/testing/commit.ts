/** The text of a document in the last commit, by VS Code's own git extension. */

import * as vscode from "vscode";

/** The part of `vscode.git`'s public API (version 1) that is used. */
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): { show(ref: string, path: string): Promise<string> } | null };
}

/** Undefined: not in a repository, or not in its last commit. */
export async function committedText(uri: vscode.Uri): Promise<string | undefined> {
  const git = vscode.extensions.getExtension<GitExtension>("vscode.git");
  if (git === undefined) return undefined;
  try {
    return await (await git.activate()).getAPI(1).getRepository(uri)?.show("HEAD", uri.fsPath);
  } catch {
    return undefined; // git says that the file is in no commit, or there is none
  }
}
