/** Tells a failed start, with the buttons that fix it; the same failure is told once, and again after a command of a person. */

import * as vscode from "vscode";

import { plain } from "../plain.ts";
import { explain } from "./failures.ts";
import type { Server } from "./server.ts";
import type { Failure, ServerState } from "./state.ts";

export interface Telling extends vscode.Disposable {
  /** A person does something: what fails from now on is told, even if it was told before and dismissed. */
  readonly asked: () => void;
}

/** `version`: of the extension, and so of the server that belongs to it. */
export function tellFailures(server: Server, version: string, log: vscode.LogOutputChannel): Telling {
  let last = "";
  const listening = server.onDidChangeState((state) => {
    void vscode.commands.executeCommand("setContext", "kernelopt.state", contextOf(state));
    const failure = problem(state, version);
    if (state.kind === "running" && failure === undefined) last = "";
    if (failure === undefined) return;
    const { message, buttons, isQuestion } = explain(failure);
    if (!isQuestion) log.error(message);
    if (message === last) return;
    last = message;
    const show = isQuestion ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
    void show(plain(message), ...buttons.map((button) => button.title)).then((title) => {
      const chosen = buttons.find((button) => button.title === title);
      last = chosen === undefined ? last : "";
      if (chosen !== undefined) void vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [argument(chosen.argument)]));
    });
  });
  const asked = (): void => {
    last = "";
  };
  return { asked, dispose: () => void listening.dispose() };
}

/** What is wrong in a state; a server of another version runs, and that is told. */
function problem(state: ServerState, version: string): Failure | undefined {
  if (state.kind === "failed") return state.failure;
  return state.kind === "running" && state.version !== version ? { kind: "other_version", version: state.version, wanted: version } : undefined;
}

/** What `when` clauses of the manifest know the state by. */
function contextOf(state: ServerState): string {
  return state.kind === "failed" && state.failure.kind === "not_installed" ? "not_installed" : state.kind;
}

/** `vscode.open` takes an address, not its text. */
function argument(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("https://") ? vscode.Uri.parse(value) : value;
}
