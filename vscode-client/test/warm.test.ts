import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import type { ServerState } from "../src/server/state.ts";
import { onceRunning, warmEmulator } from "../src/server/warm.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "kernelopt-warm-"));
after(() => rmSync(FOLDER, { recursive: true }));

const ASKED = join(FOLDER, "asked");
const DOCTOR = join(FOLDER, "doctor.mjs");
writeFileSync(DOCTOR, `import { appendFileSync } from "node:fs"; appendFileSync(process.env.ASKED, process.argv.slice(2).join(" ") + "\\n"); console.log("built");`);
const COMMAND = { program: process.execPath, args: [DOCTOR, "doctor"], environment: { ...process.env, ASKED } };

test("the doctor is asked once to build the emulator, while that is shown, and its words are logged", async () => {
  const said: string[] = [];
  const shown = async (work: () => Promise<void>): Promise<void> => {
    said.push("begins");
    await work();
    said.push("ends");
  };
  await warmEmulator(COMMAND, shown, (text) => { said.push(text); });
  assert.equal(readFileSync(ASKED, "utf8"), "doctor --warm\n");
  assert.deepEqual(said, ["begins", "built", "ends"]);
  rmSync(ASKED);
});

test("without a doctor nothing is started, shown or logged", async () => {
  const never = (): never => assert.fail("there is nothing to do");
  await warmEmulator({ kind: "not_installed" }, never, never);
  assert.equal(existsSync(ASKED), false);
});

test("nothing goes on before the server runs, nor where it could not be installed", () => {
  const begun: string[] = [];
  const step = (name: string) => async (): Promise<void> => { begun.push(name); };
  const states: readonly ServerState[] = [{ kind: "idle" }, { kind: "installing" }, { kind: "starting" }, { kind: "stopped" }, { kind: "failed", failure: { kind: "cancelled" } }];
  for (const state of states) onceRunning(state, step(state.kind));
  onceRunning({ kind: "running", version: "1" }, step("compiles"), step("warms"));
  assert.deepEqual(begun, ["compiles", "warms"]);
});
