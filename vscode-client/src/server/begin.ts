/** When the server starts: with a folder that holds CUDA files or a project of ours, else with the first document that holds CUDA; again when a setting names another one. */

import * as vscode from "vscode";

import { isCuda, wordsOf } from "./interest.ts";
import { KEY_SETTINGS } from "./keys.ts";
import type { LanguageServer } from "./server.ts";

const SETTINGS = ["server", "program", ...KEY_SETTINGS.map((name) => `provider.${name}`)].map((name) => `kernelopt.${name}`);

const SOURCES = "**/{*.cu,*.cuh,kernelopt.toml}";
/** CUDA of packages, which the person did not come to work on. */
const PACKAGES = "**/{node_modules,site-packages}/**";

/** `canStart`: whether there is a server, so that nothing need be asked for it. */
export function startWithCuda(server: LanguageServer, canStart: () => Promise<boolean>): vscode.Disposable {
  const look = (document: vscode.TextDocument): void => {
    if (server.state.kind === "idle" && isCuda(document)) void server.start();
  };
  vscode.workspace.textDocuments.forEach(look);
  void startAhead(server, canStart);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const words = server.state.kind === "idle" ? wordsOf(document) : undefined;
      if (words === undefined) return;
      const lines = contentChanges.map(({ range }) => document.lineAt(Math.min(range.start.line, document.lineCount - 1)).text);
      if ([...lines, ...contentChanges.map(({ text }) => text)].some((text) => words.test(text))) void server.start();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const isOurs = SETTINGS.some((setting) => change.affectsConfiguration(setting));
      if (isOurs && server.state.kind !== "idle" && server.state.kind !== "installing") void server.restart();
    }),
  );
}

/** The first lens need not wait for a server that was started with the window. */
async function startAhead(server: LanguageServer, canStart: () => Promise<boolean>): Promise<void> {
  const found = await vscode.workspace.findFiles(SOURCES, PACKAGES, 1);
  if (found.length > 0 && (await canStart()) && server.state.kind === "idle") void server.start();
}
