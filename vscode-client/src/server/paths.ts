/** Paths as people write them in settings. Values only. */

import { isAbsolute, join } from "node:path";

/** `~/x` and `${workspaceFolder}/x` in full; a bare name is left to PATH. */
export function expanded(path: string, home: string, folder: string | undefined): string {
  const written = path.trim().replace(/^~(?=\/|$)/, () => home);
  const whole = folder === undefined ? written : written.replaceAll("${workspaceFolder}", () => folder);
  return folder !== undefined && !isAbsolute(whole) && whole.includes("/") ? join(folder, whole) : whole;
}
