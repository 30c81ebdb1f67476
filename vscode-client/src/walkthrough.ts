/** Ticks steps of the walkthrough off by what holds, however the person came there. */

import * as vscode from "vscode";

import type { Watch } from "./server/picture.ts";
import type { Server } from "./server/server.ts";

/** Until a page that was just opened knows its steps. */
const OPENING_MS = 1_500;

/** Kinds of decisions after which something of a proposal is in the file. */
const ACCEPTS: ReadonlySet<string> = new Set(["accepted", "partially_accepted", "edited_then_accepted"]);

export function tickWalkthrough(server: Server, watch: Watch): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const tick = (): void => {
    if (server.state.kind === "running") void pulse("kernelopt.tick.running");
    if (watch.picture.kernels.length > 0) void pulse("kernelopt.tick.kernel");
    if (watch.picture.decisions.some(({ kind }) => ACCEPTS.has(kind))) void pulse("kernelopt.tick.accepted");
  };
  return vscode.Disposable.from(
    server.onDidChangeState(tick),
    watch.onDidChange(tick),
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      if (!opened.some(({ input }) => input === undefined)) return; // a walkthrough's tab says no more of itself
      clearTimeout(timer);
      timer = setTimeout(tick, OPENING_MS);
    }),
    new vscode.Disposable(() => clearTimeout(timer)),
  );
}

/** True for a moment: VS Code never ticks off what holds already when it first hears of a step. */
async function pulse(key: string): Promise<void> {
  await vscode.commands.executeCommand("setContext", key, true);
  await vscode.commands.executeCommand("setContext", key, false);
}
