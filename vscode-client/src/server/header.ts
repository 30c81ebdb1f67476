/** Says whether the active document is a C++ header with device code: menus cannot look into a text. */

import * as vscode from "vscode";

import { isCudaHeader } from "./interest.ts";

const KEY = "kernelopt.isCudaHeader";

export function tellCudaHeader(): vscode.Disposable {
  let told = false;
  const tell = (document: vscode.TextDocument | undefined): void => {
    const isHeader = document !== undefined && isCudaHeader(document);
    if (isHeader !== told) void vscode.commands.executeCommand("setContext", KEY, isHeader);
    told = isHeader;
  };
  tell(vscode.window.activeTextEditor?.document);
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor((editor) => tell(editor?.document)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) tell(document);
    }),
  );
}
