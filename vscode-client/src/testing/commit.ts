/** The text of a document in the last commit, by VS Code's own git extension. */

import type { Extension, Uri } from "vscode";

/** The part of `vscode.git`'s public API (version 1) that is used. */
export interface GitExtension {
  /** By the setting `git.enabled`, and where there is a git. */
  readonly enabled: boolean;
  getAPI(version: 1): { getRepository(uri: Uri): { show(ref: string, path: string): Promise<string> } | null };
}

export const GIT = "vscode.git";

/** The text, or why there is none. */
export type Committed = { readonly text: string } | { readonly missing: string };

const NO_GIT = "VS Code's Git extension is disabled, which knows the last commit";
const OFF = "git is off in VS Code (git.enabled), or is not installed: nothing knows the last commit";
const IN_NO_COMMIT = "this file is in no commit of a git repository";

export async function committedText(git: Extension<GitExtension> | undefined, uri: Uri): Promise<Committed> {
  if (git === undefined) return { missing: NO_GIT };
  const active = await git.activate();
  if (!active.enabled) return { missing: OFF };
  try {
    const text = await active.getAPI(1).getRepository(uri)?.show("HEAD", uri.fsPath);
    return text === undefined ? { missing: IN_NO_COMMIT } : { text };
  } catch {
    return { missing: IN_NO_COMMIT }; // git says that the file is in none, or there is none
  }
}
