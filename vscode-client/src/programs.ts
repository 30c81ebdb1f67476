/** Which program runs the kernels of a file: a quick pick, so that it can be chosen by keyboard. */

import * as vscode from "vscode";

import type { Program } from "./protocol/answers.ts";

/** The name of the chosen one; undefined where there is none to choose, or the question is dismissed. */
export async function chooseProgram(programs: readonly Program[]): Promise<string | undefined> {
  if (programs.length === 0) {
    void vscode.window.showInformationMessage("No program was found that runs these kernels. The hover on a kernel says what was looked for.");
    return undefined;
  }
  const items = programs.map(({ name, why, units, is_used }) => ({
    label: `${is_used ? "$(check) " : ""}${name}`,
    description: why,
    ...(units.length > 1 ? { detail: `built from ${units.join(", ")}` } : {}),
    name,
  }));
  const options = { title: "Which program runs these kernels?", placeHolder: "Remembered for this file", matchOnDescription: true };
  return (await vscode.window.showQuickPick(items, options))?.name;
}
