/** The one place where a command's failure is told to a person. */

import * as vscode from "vscode";

const LOG = "Show Log";

/** `run`, whose failure becomes a message; the log has the rest. */
export async function told<Answer>(log: vscode.LogOutputChannel, run: () => Promise<Answer> | Answer): Promise<Answer | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isUnavailable(error)) return undefined; // the failure of the server is told already, with its buttons
    const words = error instanceof Error ? error.message : String(error);
    log.error(error instanceof Error ? error : words);
    void vscode.window.showErrorMessage(`kernelopt: ${words}`, LOG).then((chosen) => chosen === LOG && log.show());
    return undefined;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Error && (error.name === "ServerUnavailable" || error.name === "Canceled");
}
