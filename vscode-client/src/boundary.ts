/** The one place where a command's failure is told to a person. */

import * as vscode from "vscode";

import { plain } from "./plain.ts";

const LOG = "Show Log";
const TRUST = "Manage Trust";

/** `run`, whose failure becomes a message; the log has the rest. */
export async function told<Answer>(log: vscode.LogOutputChannel, run: () => Promise<Answer> | Answer): Promise<Answer | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isUnavailable(error)) return undefined; // the failure of the server is told already, with its buttons
    log.error(error instanceof Error ? error : String(error));
    void tell(log, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** In Restricted Mode little is allowed, so that is offered to be fixed first. */
async function tell(log: vscode.LogOutputChannel, words: string): Promise<void> {
  const buttons = vscode.workspace.isTrusted ? [LOG] : [TRUST, LOG];
  const chosen = await vscode.window.showErrorMessage(plain(`kernelopt: ${words}`), ...buttons);
  if (chosen === LOG) log.show();
  if (chosen === TRUST) await vscode.commands.executeCommand("workbench.trust.manage");
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Error && (error.name === "ServerUnavailable" || error.name === "Canceled");
}
