/** When the server starts: with the first document that holds CUDA, and again when a setting names another one. */

import * as vscode from "vscode";

import { isCuda, mentionsCuda } from "./interest.ts";
import { KEY_SETTINGS } from "./keys.ts";
import type { LanguageServer } from "./server.ts";

const SETTINGS = ["server", "program", ...KEY_SETTINGS.map((name) => `provider.${name}`)].map((name) => `kernelopt.${name}`);

export function startWithCuda(server: LanguageServer): vscode.Disposable {
  const look = (document: vscode.TextDocument): void => {
    if (server.state.kind === "idle" && isCuda(document)) void server.start();
  };
  vscode.workspace.textDocuments.forEach(look);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (server.state.kind !== "idle" || document.languageId !== "python") return;
      const lines = contentChanges.map(({ range }) => document.lineAt(Math.min(range.start.line, document.lineCount - 1)).text);
      if ([...lines, ...contentChanges.map(({ text }) => text)].some(mentionsCuda)) void server.start();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const isOurs = SETTINGS.some((setting) => change.affectsConfiguration(setting));
      if (isOurs && server.state.kind !== "idle" && server.state.kind !== "installing") void server.restart();
    }),
  );
}
