/** Running Python programs: which one can be the base of the server's environment, and what one says. Nothing of VS Code. */

import { spawn } from "node:child_process";

export const OLDEST = [3, 11] as const;
const PROBE = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)";
/** Says the version only where the package is there, too, not its description alone. */
const VERSION = "import importlib.metadata as m, importlib.util as u; print(u.find_spec('assistant.__main__') and m.version('kernelopt'))";
/** Neither the current folder nor `PYTHONPATH` changes what an interpreter is, or what is installed into a new environment. */
export const ISOLATED = "-I";
const PROBE_DEADLINE_MS = 10_000;

/** Looked for in this order; the newest that are surely supported come first. */
export const CANDIDATES: readonly string[] = ["python3.13", "python3.12", "python3.11", "python3", "python", "/usr/bin/python3"];

export interface Ended {
  /** Null where it could not be started, or was ended by a signal. */
  readonly code: number | null;
  readonly output: string;
}

export interface RunOptions {
  readonly deadlineMs: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly folder?: string;
  /** Given each piece of output as it comes. */
  readonly onText?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** Runs a program without a shell; never rejects. Output is standard output and error together. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve) => {
    let output = "";
    const deadline = AbortSignal.timeout(options.deadlineMs);
    const child = spawn(program, [...args], {
      env: options.environment ?? process.env,
      cwd: options.folder,
      stdio: ["ignore", "pipe", "pipe"],
      signal: options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]),
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        options.onText?.(text);
      });
    }
    child.on("error", (error) => resolve({ code: null, output: `${output}${error.message}` }));
    child.on("close", (code) => resolve({ code, output }));
  });
}

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The full path of the first candidate that is new enough; undefined where none is. */
export async function findPython(candidates: readonly string[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    const { code, output } = await run(candidate, [ISOLATED, "-c", PROBE], { deadlineMs: PROBE_DEADLINE_MS });
    const [version = "", ...path] = output.trim().split(" ");
    if (code === 0 && isNewEnough(version)) return path.join(" ");
  }
  return undefined;
}

export type Packaged = "usable" | "no_program" | "too_old" | "no_package";

/** Whether a Python can be started and has a kernelopt of a version. */
export async function packaged(python: string, version: string): Promise<Packaged> {
  const probe = await run(python, [ISOLATED, "-c", PROBE], { deadlineMs: PROBE_DEADLINE_MS });
  if (probe.code === null) return "no_program";
  if (probe.code === 0 && !isNewEnough(probe.output.trim().split(" ")[0] ?? "")) return "too_old"; // it does not know -P
  const { code, output } = await run(python, ["-P", "-c", VERSION], { deadlineMs: PROBE_DEADLINE_MS });
  return code === 0 && output.trim() === version ? "usable" : "no_package";
}
