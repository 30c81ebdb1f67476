import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines, type Job, learnedCells, possible, type Proposal, shortName, speed, stateOfJob, when, words } from "../src/history/rows.ts";

const JOB: Job = {
  id: "J1", command: "check", file: "a.cu", owner: "cli 1", started_ms: 0, ended_ms: null, exit_code: null, is_running: true, is_cancel_requested: false,
};
const PROPOSAL: Proposal = {
  id: "P1", file: "a.cu", is_file: true, kernel: "k(float *)", techniques: [], summary: "", state: "open", outcome: "PASS",
  speed_outcome: "PREDICTED", ratio: 2, method: "", created_ms: 0,
};

test("a job is running, ending, ended or broke off", () => {
  assert.equal(stateOfJob(JOB), "running");
  assert.equal(stateOfJob({ ...JOB, is_cancel_requested: true }), "ending");
  assert.equal(stateOfJob({ ...JOB, is_running: false, ended_ms: 1, exit_code: 3 }), "ended, exit 3");
  assert.equal(stateOfJob({ ...JOB, is_running: false }), "broke off");
});

test("a page decides on files; the text of a cell is the notebook's", () => {
  assert.deepEqual(possible(PROPOSAL), ["accept", "reject"]);
  assert.deepEqual(possible({ ...PROPOSAL, is_file: false }), ["reject"]);
  assert.deepEqual(possible({ ...PROPOSAL, state: "accepted" }), ["undo"]);
  assert.deepEqual(possible({ ...PROPOSAL, state: "accepted", is_file: false }), []);
  assert.deepEqual(possible({ ...PROPOSAL, state: "rejected", is_file: false }), ["undo"]);
  assert.deepEqual(possible({ ...PROPOSAL, state: "superseded" }), []);
});

test("each technique is a row that says for which kernels it holds", () => {
  const part = { technique: "warp-per-row", kernels: "6 kernels", right: "6 of 6", speed: "3.10x [2.20, 4.00]", how: "measured on 6", people: "", imported: "2 imported" };
  const learned = { states: [{ title: "Memory-bound row reductions", device: "NVIDIA H200", techniques: [part] }], sequences: [], lessons: [] };
  const row = ["Memory-bound row reductions (NVIDIA H200)", "warp-per-row", "6 kernels", "6 of 6", "3.10x [2.20, 4.00]", "measured on 6, 2 imported", ""];
  assert.deepEqual(learnedCells(learned), [row]);
});

test("a speed is said with its word, and nothing is said where there is none", () => {
  assert.equal(speed("PREDICTED", 1.7782), "PREDICTED 1.78×");
  assert.equal(speed(null, null), "");
});

test("a decision says who and why", () => {
  const decision = { proposal: "P1", file: null, kernel: "k", kind: "partially_accepted", reason_code: null, reason: null, decided_ms: 0, decided_by: "cli 1" };
  assert.equal(words(decision), "partially accepted by cli 1");
  assert.equal(words({ ...decision, kind: "rejected", reason_code: "style" }), "rejected by cli 1: style");
});

test("names are short, times are said", () => {
  assert.equal(shortName("ns::k(float *, int)"), "ns::k");
  assert.equal(when(0, "en-GB", "UTC"), "01/01/1970, 00:00:00");
});

test("a diff's lines are told apart, its file names left out", () => {
  assert.deepEqual(diffLines("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n").map((line) => line.kind), ["place", "removed", "added", "kept"]);
});
