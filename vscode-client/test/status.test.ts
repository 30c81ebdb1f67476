import assert from "node:assert/strict";
import { test } from "node:test";

import type { Job, Status } from "../src/protocol/answers.ts";
import type { Picture } from "../src/server/asked.ts";
import type { Failure, ServerState } from "../src/server/state.ts";
import { explain } from "../src/server/failures.ts";
import { spentWords, statusWords } from "../src/status/words.ts";

const STATUS: Status = { jobs: [], is_trusted: true, problem: null, device: null, rung: null, budget: null, refused: [] };
const RUNNING: ServerState = { kind: "running", version: "0.1.0" };

function picture(status: Partial<Status>, jobs: readonly Job[] = []): Picture {
  return { kernels: [], proposals: [], decisions: [], pairs: [], jobs, status: { ...STATUS, ...status }, isAnswered: true };
}

function job(is_background: boolean, is_running: boolean): Job {
  return { job_id: "J", uri: "file:///a.cu", command: "check", kernel: null, is_background, is_running };
}

test("a running server says where it runs and what it does", () => {
  const words = statusWords(RUNNING, picture({ device: "CPU emulator", rung: "emulator and ptxas" }, [job(false, true), job(true, false)]));
  assert.equal(words.text, "$(sync~spin) kernelopt · CPU emulator · 1 running");
  assert.deepEqual(words.detail, ["Server 0.1.0", "Device: CPU emulator", "Counters and times: emulator and ptxas", "Queue: 2 jobs, 1 of them waiting"]);
});

test("what waits for a person's OK is not said to run, and the device's details are in the tooltip", () => {
  const waiting: Job = { ...job(true, false), waits_for: "your consent to run the program" };
  const words = statusWords(RUNNING, picture({ device: "CPU emulator (counting rules of sm_90)" }, [waiting]));
  assert.equal(words.text, "$(circuit-board) kernelopt · CPU emulator");
  assert.ok(words.detail.includes("Device: CPU emulator (counting rules of sm_90)") && words.detail.includes("Queue: 1 job, 1 of them waiting"));
});

test("a source that does not compile is named, with what is wrong and where in the tooltip", () => {
  const refused = ['stencil.cu does not compile: line 9: expected a ";"', "sums.cu does not compile: line 2: expected a type"];
  assert.equal(statusWords(RUNNING, picture({ refused: refused.slice(0, 1) })).text, "$(circuit-board) kernelopt · stencil.cu does not compile");
  const words = statusWords(RUNNING, picture({ refused }));
  assert.equal(words.text, "$(circuit-board) kernelopt · stencil.cu does not compile +1");
  assert.ok(refused.every((line) => words.detail.includes(line)));
});

test("Restricted Mode and settings that do not count are said in words", () => {
  assert.ok(statusWords(RUNNING, picture({ is_trusted: false })).detail.some((line) => line.startsWith("Restricted Mode")));
  const wrong = statusWords(RUNNING, picture({ problem: "unknown setting zzz" }));
  assert.ok(wrong.isProblem && wrong.detail.includes("Settings: unknown setting zzz"));
});

test("what models cost is said with its bound, and an unknown price as such", () => {
  const spent = { money_usd: 0.0314, input_token_count: 12_000, output_token_count: 345, call_count: 4 };
  assert.equal(spentWords({ spent, caps: { money_usd: 0.05, token_count: null } }), "$0.031 of $0.050, 12,345 tokens in 4 calls");
  const unknown = { ...spent, money_usd: null, call_count: 1 };
  assert.equal(spentWords({ spent: unknown, caps: { money_usd: null, token_count: 20_000 } }), "price unknown, 12,345 of 20,000 tokens in 1 call");
});

const FAILURES: readonly Failure[] = [
  { kind: "not_installed" },
  { kind: "no_python", looked: ["python3"] },
  { kind: "no_venv", python: "/usr/bin/python3", detail: "ensurepip is not available" },
  { kind: "install_failed", detail: "ERROR: No matching distribution found for pygls" },
  { kind: "python_missing", python: "/no/python" },
  { kind: "package_missing", python: "/usr/bin/python3" },
  { kind: "start_failed", isPrivate: true, detail: "it ended" },
  { kind: "other_version", version: "0.0.9", wanted: "0.1.0" },
  { kind: "crashed", count: 5 },
];

for (const failure of FAILURES) {
  test(`${failure.kind} is told with a button that fixes it, and the status bar says so`, () => {
    const { message, buttons, isQuestion } = explain(failure);
    assert.ok(message.length > 0 && buttons.length > 0);
    assert.ok(buttons.every(({ command }) => command.startsWith("kernelopt.ui.") || command.startsWith("workbench.") || command === "vscode.open"));
    const words = statusWords({ kind: "failed", failure }, picture({}));
    assert.ok(words.isProblem !== isQuestion && words.detail[0] === message);
  });
}

test("only the first install is a question", () => {
  assert.deepEqual(FAILURES.filter((failure) => explain(failure).isQuestion).map(({ kind }) => kind), ["not_installed"]);
});
