import assert from "node:assert/strict";
import { test } from "node:test";

import type { Kernel } from "../src/protocol/answers.ts";
import type { TestPart } from "../src/protocol/report.ts";
import { again, byShape, caseId, caseLabel, EDIT, group, groupId, groupLabel, kernelId, result, suiteLabel, suites, type Verified } from "../src/testing/suites.ts";

const KERNEL: Kernel = { uri: "file:///a.cu", kernel: "k(float *)", name: "k", headline: "", document_line: 4 };
const RECORDED: TestPart = { kind: "recorded", shape: "n=8", seed: 0, scale: 1, outcome: "PASS", detail: "" };
const FIRST: TestPart = { ...RECORDED, kind: "resampled", seed: 11 };
const SECOND: TestPart = { ...FIRST, seed: 12, scale: 0.125, outcome: "FAIL", detail: "o[3]: wrong value" };
const RESIZED: TestPart = { ...FIRST, kind: "resized", shape: "n=7" };
const TESTS = [RECORDED, FIRST, SECOND, RESIZED];
const PROPOSED: Verified = { uri: KERNEL.uri, kernel: KERNEL.kernel, proposal_id: "P01", state: "open", title: "padding", verdict: "PASS", reasons: [], tests: TESTS };

test("a kernel has a group for each open proposal and for an edit, and none for what is decided", () => {
  const edit = { ...PROPOSED, proposal_id: null, state: "judged" };
  const others = [{ ...PROPOSED, proposal_id: "P00", state: "rejected" }, { ...PROPOSED, kernel: "other()" }, { ...PROPOSED, source: "cell" }];
  const [suite] = suites([KERNEL], [PROPOSED, edit, ...others]);
  assert.deepEqual(suite?.groups.map(({ id }) => id), ["P01", EDIT]);
});

test("kernels of one signature are one item that says where they stand", () => {
  const other = { ...KERNEL, document_line: 11 };
  const elsewhere = { ...other, source: "cell" };
  const found = suites([KERNEL, other, elsewhere], [PROPOSED, PROPOSED]);
  assert.deepEqual(found.map(suiteLabel), ["k (lines 5 and 12)", "k"]);
  assert.deepEqual(found.map(({ kernel, groups }) => [kernel.document_line, groups.map(({ id }) => id)]), [[4, ["P01"]], [11, []]]);
});

test("a proposal stands next to its kernel, as its results say nothing of the code that stands there, and says its verdict", () => {
  const proposed = group(PROPOSED);
  assert.equal(groupLabel(KERNEL, proposed), "k, proposal: padding, PASS");
  assert.equal(groupLabel(KERNEL, { ...proposed, title: "padding, PREDICTED 1.2x, PASS" }), "k, proposal: padding, PREDICTED 1.2x, PASS");
  assert.equal(groupLabel(KERNEL, { ...proposed, proposal: undefined, title: "your edit" }), "your edit");
  assert.equal(new Set([groupId(KERNEL, proposed), groupId({ ...KERNEL, kernel: "other()" }, proposed), kernelId(KERNEL), EDIT]).size, 4);
});

test("cases stand under their shape, each with its seed and scale", () => {
  assert.deepEqual([...byShape(TESTS)].map(([shape, tests]) => [shape, tests.length]), [["n=8", 3], ["n=7", 1]]);
  assert.deepEqual(TESTS.map(caseLabel), ["recorded", "resampled, seed 11", "resampled, seed 12, values × 0.125", "resized, seed 11"]);
  assert.equal(new Set(TESTS.map(caseId)).size, TESTS.length);
});

test("a failed case is verified again on its own values", () => {
  assert.deepEqual(again(TESTS, [SECOND]), { seeds: [11, 12], cases: [{ kind: "resampled", shape: "n=8", seed: 12, scale: 0.125 }] });
});

test("all cases together, and cases without a seed, are verified on fresh values", () => {
  assert.equal(again(TESTS, TESTS), undefined);
  assert.equal(again(TESTS, [{ ...FIRST, seed: null }]), undefined);
});

test("what needs a decision has neither passed nor failed", () => {
  assert.deepEqual(result("PASS", ""), { kind: "passed" });
  assert.deepEqual(result("NEEDS_DECISION", "precision"), { kind: "open", message: "NEEDS_DECISION: precision" });
  assert.deepEqual(result("FAIL", "o[3]: wrong value"), { kind: "failed", message: "FAIL: o[3]: wrong value" });
  assert.equal(group(PROPOSED).proposal, "P01");
});
