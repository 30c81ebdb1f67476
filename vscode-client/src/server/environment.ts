/** The environment that the server and the user's programs run in. Values only. */

import { delimiter, dirname, isAbsolute } from "node:path";

/** What VS Code sets for itself, and programs that it starts should not see. */
const OF_THE_EDITOR = /^(?:VSCODE_|ELECTRON_|APPLICATION_INSIGHTS_)/;

/** `inherited` with the keys of model endpoints, and the folder of the user's own Python first on PATH. */
export function environment(
  inherited: NodeJS.ProcessEnv,
  keys: ReadonlyMap<string, string>,
  programPython: string | undefined,
): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(inherited).filter(([name]) => !OF_THE_EDITOR.test(name)));
  const folder = programPython !== undefined && isAbsolute(programPython) ? dirname(programPython) : undefined;
  const path = [folder, own["PATH"]].filter((part) => part !== undefined && part !== "").join(delimiter);
  return { ...own, PATH: path, ...Object.fromEntries(keys) };
}
