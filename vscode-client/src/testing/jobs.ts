/** A job of the server, awaited: what it told until it ended, however it ended. */

import * as vscode from "vscode";

import type { KernelOptEvent } from "../protocol/events.ts";
import type { Server } from "../server/server.ts";

/** Starts a command that answers with a job and waits for its `job_ended`. Cancelling ends the job, too. */
export async function runJob(server: Server, command: string, argument: object, token: vscode.CancellationToken): Promise<readonly KernelOptEvent[]> {
  const told: KernelOptEvent[] = [];
  const listening: vscode.Disposable[] = [];
  try {
    listening.push(server.onEvent((event) => told.push(event)));
    const { job_id } = await server.execute<{ readonly job_id: string }>(command, argument);
    const mine = (): readonly KernelOptEvent[] => told.filter(({ job }) => job === job_id);
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (mine().some(({ event }) => event === "job_ended")) resolve();
      };
      listening.push(server.onEvent(look));
      listening.push(server.onDidChangeState(({ kind }) => kind === "running" || resolve()));
      listening.push(token.onCancellationRequested(() => void server.execute("kernelopt.job.cancel", { job_id }).catch(() => resolve())));
      look();
    });
    return mine();
  } finally {
    listening.forEach((item) => void item.dispose());
  }
}
