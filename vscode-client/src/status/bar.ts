/** The entry of the status bar: device, queue, open proposals; a click opens what can be done. */

import * as vscode from "vscode";

import type { Watch } from "../server/picture.ts";
import type { Server } from "../server/server.ts";
import { statusWords } from "./words.ts";

const PRIORITY = 90;

export function registerStatusBar(server: Server, watch: Watch): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("kernelopt.status", vscode.StatusBarAlignment.Left, PRIORITY);
  item.name = "kernelopt";
  item.command = "kernelopt.ui.menu";
  const show = (): void => {
    const words = statusWords(server.state, watch.picture);
    item.text = words.text;
    item.tooltip = words.detail.join("\n"); // plain text, as it holds texts of others
    item.accessibilityInformation = { label: ["kernelopt", ...words.detail].join(". ") };
    item.backgroundColor = words.isProblem ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  };
  show();
  item.show();
  return vscode.Disposable.from(item, server.onDidChangeState(show), watch.onDidChange(show));
}
