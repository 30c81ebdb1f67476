/** Commands on the server's environment: install it, add compilers, ask the doctor. */

import * as vscode from "vscode";

import type { Notes } from "../notes.ts";
import { plain } from "../plain.ts";
import { compileAhead, type Installation, install, installCompilers, installInto } from "./install.ts";
import { activeInterpreter, configuredPython, isFailure, type Launcher } from "./launch.ts";
import { CANDIDATES, run } from "./python.ts";
import type { LanguageServer } from "./server.ts";
import type { Failure, ServerState } from "./state.ts";
import { onceRunning, warmEmulator } from "./warm.ts";

const DOCTOR_DEADLINE_MS = 60_000;

/** Makes the private environment and starts the server in it. */
export async function installServer(launcher: Launcher, server: LanguageServer, log: vscode.LogOutputChannel): Promise<ServerState> {
  const state = await server.installing(() => withProgress("kernelopt: installing the language server", log, (how) => install(launcher.place, how)));
  onceRunning(state, () => compileAhead(launcher.place), () => warm(launcher, log));
  return state;
}

/** Puts the extension's own package into the Python that `kernelopt.server.python` names. */
export async function installIntoPython(launcher: Launcher, server: LanguageServer, log: vscode.LogOutputChannel): Promise<ServerState> {
  const title = "kernelopt: installing the language server into kernelopt.server.python";
  const state = await server.installing(() => withProgress(title, log, (how) => installInto(configuredPython(), launcher.place, how)));
  onceRunning(state, () => warm(launcher, log));
  return state;
}

async function warm(launcher: Launcher, log: vscode.LogOutputChannel): Promise<void> {
  const options = { location: vscode.ProgressLocation.Window, title: "kernelopt: building the emulator, once" };
  const shown = (work: () => Promise<void>): Thenable<void> => vscode.window.withProgress(options, work);
  await warmEmulator(await launcher.tool("doctor"), shown, (text) => { log.info(text); });
}

/** Adds NVIDIA's compiler wheels, which are large, to the private environment. */
export async function installCompilerWheels(launcher: Launcher, server: LanguageServer, log: vscode.LogOutputChannel): Promise<ServerState> {
  return await server.installing(() => withProgress("kernelopt: installing NVIDIA's compilers", log, (how) => installCompilers(launcher.place, how)));
}

/** What this machine can do, what is missing, and how to fix it; the server need not run. */
export async function doctor(launcher: Launcher, server: LanguageServer, notes: Notes): Promise<void> {
  const command = await launcher.tool("doctor");
  if (isFailure(command)) {
    await server.restart(); // tells the failure, with its button
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const { output } = await run(command.program, command.args, {
    deadlineMs: DOCTOR_DEADLINE_MS,
    environment: command.environment,
    ...(folder === undefined ? {} : { folder }),
  });
  await notes.showText("kernelopt doctor", output);
}

async function withProgress(
  title: string,
  log: vscode.LogOutputChannel,
  work: (how: Installation) => Promise<Failure | undefined>,
): Promise<Failure | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await vscode.window.withProgress(options, async (progress, token) => {
    const ending = new AbortController();
    token.onCancellationRequested(() => ending.abort());
    const own = activeInterpreter();
    const onText = (text: string): void => {
      log.info(text.trimEnd());
      progress.report({ message: plain(text.trim().split("\n").at(-1)?.slice(0, 80) ?? "") });
    };
    return await work({ pythons: own === undefined ? CANDIDATES : [...CANDIDATES, own], onText, signal: ending.signal });
  });
}
