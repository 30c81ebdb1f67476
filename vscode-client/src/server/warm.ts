/** What goes on in the background once the server is installed: the emulator is built while the person looks around. */

import type { Command } from "./launch.ts";
import { run } from "./python.ts";
import type { Failure, ServerState } from "./state.ts";

const WARM_DEADLINE_MS = 10 * 60_000;

/** Begins the steps where the server runs now, and waits for none. */
export function onceRunning(state: ServerState, ...steps: readonly (() => Promise<void>)[]): void {
  if (state.kind === "running") for (const step of steps) void step();
}

/**
 * Has the emulator built, so that the first profile waits for its own program alone. What fails is told by that profile.
 *
 * `doctor` is kernelopt's command of that name; `shown` shows that the work goes on.
 */
export async function warmEmulator(
  doctor: Command | Failure,
  shown: (work: () => Promise<void>) => PromiseLike<void>,
  log: (text: string) => void,
): Promise<void> {
  if ("kind" in doctor) return;
  await shown(async () => {
    const { output } = await run(doctor.program, [...doctor.args, "--warm"], { deadlineMs: WARM_DEADLINE_MS, environment: doctor.environment });
    log(output.trim());
  });
}
