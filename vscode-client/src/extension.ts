/** Registers what the extension adds to VS Code; nothing else happens here. */

import * as vscode from "vscode";

import { isCuda } from "./server/interest.ts";
import { LanguageServer } from "./server/server.ts";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("kernelopt", { log: true });
  const server = new LanguageServer(log, (command, values, next) => next(command, values));
  context.subscriptions.push(
    log,
    server,
    vscode.commands.registerCommand("kernelopt.ui.restart", () => server.restart()),
    vscode.commands.registerCommand("kernelopt.ui.showLog", () => log.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.trustGranted()),
    vscode.workspace.onDidOpenTextDocument((document) => startFor(server, document)),
  );
  vscode.workspace.textDocuments.forEach((document) => startFor(server, document));
}

function startFor(server: LanguageServer, document: vscode.TextDocument): void {
  if (server.state.kind === "idle" && isCuda(document)) void server.start();
}
