/** A job of the server, awaited: what it told until it ended, however it ended. */

import * as vscode from "vscode";

import type { Status } from "../protocol/answers.ts";
import type { KernelOptEvent } from "../protocol/events.ts";
import type { Server } from "../server/server.ts";

/** Of a job that was cancelled, or broke off, nothing tells but that it is gone. */
const LOOK_MS = 2000;

/** Starts a command that answers with a job and waits for its end. Cancelling ends the job, too. */
export async function runJob(server: Server, command: string, argument: object, token: vscode.CancellationToken): Promise<readonly KernelOptEvent[]> {
  const told: KernelOptEvent[] = [];
  const early = server.onEvent((event) => told.push(event));
  try {
    const { job_id } = await server.execute<{ readonly job_id: string }>(command, argument);
    await ended(server, job_id, told, token);
    return told.filter(({ job }) => job === job_id);
  } finally {
    early.dispose();
  }
}

async function ended(server: Server, job: string, told: readonly KernelOptEvent[], token: vscode.CancellationToken): Promise<void> {
  const listening: vscode.Disposable[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (told.some((event) => event.job === job && event.event === "job_ended")) resolve();
      };
      const isGone = async (): Promise<void> => {
        const status = await server.request<Status>("kernelopt/status", {}).catch(() => undefined);
        if (status === undefined || status.jobs.every(({ job_id }) => job_id !== job)) resolve();
      };
      listening.push(server.onEvent(look));
      listening.push(token.onCancellationRequested(() => void server.execute("kernelopt.job.cancel", { job_id: job }).catch(() => undefined)));
      timer = setInterval(() => void isGone(), LOOK_MS);
      look();
    });
  } finally {
    clearInterval(timer);
    listening.forEach((item) => void item.dispose());
  }
}
