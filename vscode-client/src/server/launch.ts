/** Which program is the server, and in which environment it runs. */

import * as vscode from "vscode";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export function serverCommand(python: string): Command {
  return { program: python, args: ["-m", "assistant", "lsp"], environment: { ...process.env, PYTHONUNBUFFERED: "1" } };
}

export function configuredPython(): string {
  return vscode.workspace.getConfiguration("kernelopt").get<string>("server.python", "").trim();
}
