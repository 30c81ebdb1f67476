/** Which program runs the kernels of a file: a quick pick, so that it can be chosen by keyboard. */

import * as vscode from "vscode";

import { plain } from "./plain.ts";
import type { Build, Program } from "./protocol/answers.ts";

/**
 * The name of the chosen one; undefined where there is none to choose, the question is dismissed, or a build is to say more, whose
 * command is started then.
 */
export async function chooseProgram(programs: readonly Program[], builds: readonly Build[]): Promise<string | undefined> {
  if (programs.length === 0 && builds.length === 0) {
    void vscode.window.showInformationMessage("No program was found that runs these kernels. The hover on a kernel lists what was looked for.");
    return undefined;
  }
  const items = [
    ...programs.map(({ name, why, units, is_used }) => ({
      label: `${is_used ? "$(check) " : ""}${plain(name)}`,
      description: why,
      ...(units.length > 1 ? { detail: `built from ${units.join(", ")}` } : {}),
      name,
      build: undefined,
    })),
    ...builds.map((build) => ({ label: `$(tools) ${capital(plain(build.title))}`, name: undefined, build })),
  ];
  const options = { title: "Which program runs these kernels?", placeHolder: "Remembered for this file", matchOnDescription: true };
  const chosen = await vscode.window.showQuickPick(items, options);
  if (chosen?.build !== undefined) void vscode.commands.executeCommand(chosen.build.command, chosen.build.arguments);
  return chosen?.name;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
