/** What the server writes on its standard error, by the level that it says. Pure. */

export type Level = "error" | "warn" | "info";

/** `WARNING pygls…` is a warning; what says no level (a traceback) is an error. */
export function levelOf(line: string): Level {
  if (/^WARNING\b/.test(line)) return "warn";
  return /^(?:INFO|DEBUG)\b/.test(line) ? "info" : "error";
}
