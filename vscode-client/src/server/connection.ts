/** One run of the language server, as vscode-languageclient drives it. Imported when the first server starts, never at activation. */

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { explicitSettings } from "./configuration.ts";
import type { Command } from "./launch.ts";

const SUPPORTS = ["diff", "input", "event"];
const PROTOCOL = 1;
const NOTEBOOKS = "jupyter-notebook";

/** What runs a server command that VS Code shows; `next` sends it to the server. */
export type Execute = (command: string, values: readonly unknown[], next: Next) => Promise<unknown>;
export type Next = (command: string, values: readonly unknown[]) => Promise<unknown>;

export interface Wiring {
  readonly log: vscode.LogOutputChannel;
  readonly execute: Execute;
  readonly closed: () => void;
}

export function connect(command: Command, wiring: Wiring): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "cuda-cpp" },
      { language: "cuda" },
      { pattern: "**/*.{cu,cuh}" },
      { language: "python" },
      { notebook: NOTEBOOKS, language: "python" },
    ],
    notebookDocumentOptions: {},
    outputChannel: wiring.log,
    initializationOptions: () => ({ kernelopt: { protocol: PROTOCOL, trusted: vscode.workspace.isTrusted, supports: SUPPORTS } }),
    progressOnInitialization: false,
    markdown: { isTrusted: false, supportHtml: false },
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        wiring.closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      executeCommand: (name, values, next) => wiring.execute(name, values, async (n, v) => await next(n, [...v])),
      workspace: {
        configuration: (params) => params.items.map((item) => explicitSettings(item.section, item.scopeUri)),
      },
    },
  };
  const program = { command: command.program, args: [...command.args], options: { env: command.environment } };
  return new LanguageClient("kernelopt", "kernelopt", program, options);
}
