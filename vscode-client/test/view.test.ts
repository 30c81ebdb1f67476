import assert from "node:assert/strict";
import { test } from "node:test";

import type { Picture } from "../src/server/asked.ts";
import { changedSections, endedByRestart, type Row, rows } from "../src/view/rows.ts";

const NOTHING: Picture = { kernels: [], proposals: [], decisions: [], pairs: [], jobs: [], status: undefined, isAnswered: true };
const URI = "file:///w/my%20kernel.cu";
const FULL: Picture = {
  ...NOTHING,
  kernels: [{ uri: URI, kernel: "k(float *)", name: "k", headline: "PASS · not profiled yet", document_line: 4 }],
  proposals: [
    {
      id: "P1",
      title: "staged-store, PREDICTED 1.78x, PASS",
      accept_title: "Accept",
      uri: URI,
      kernel: "k",
      file: "/w/my kernel.cu",
      summary: "Stage the store",
      techniques: ["staged-store"],
      hunk_ids: ["a"],
      labels: [],
      model: null,
    },
  ],
  jobs: [
    { job_id: "J1", uri: URI, command: "pair_suggest", kernel: "k(float *, int)", is_background: false, is_running: true },
    { job_id: "J2", uri: URI, command: "check", kernel: null, is_background: true, is_running: false },
  ],
  pairs: [
    {
      uri: URI,
      session_id: "S1",
      kernel: "k",
      goal: "twice as fast",
      constraints: ["block 256"],
      versions: [
        { number: 0, name: "the baseline", headline: "the baseline", is_best: false, is_current: false },
        { number: 1, name: "version 1", headline: "PASS, PREDICTED 1.2x", is_best: true, is_current: true },
      ],
    },
  ],
  decisions: [
    { proposal: "P0", headline: "rejected: padded-tile (style)", kind: "rejected", state: "rejected", uri: URI, kernel: "k", decided_by: "cli 7", decided_ms: 0 },
  ],
};

function section(label: string): readonly Row[] {
  return rows(FULL).find((row) => row.label === label)?.children ?? [];
}

test("a section is shown only where it has something", () => {
  assert.deepEqual(rows(NOTHING), []);
  assert.deepEqual(
    rows(FULL).map(({ label, description }) => `${label} ${description}`),
    ["Proposals 1", "Kernels 1", "Jobs 2", "Pair sessions 1", "Decisions 1"],
  );
});

test("a kernel says its verdict and its place, and goes there", () => {
  const [row] = section("Kernels");
  assert.equal(row?.description, "PASS · not profiled yet · my kernel.cu:5", "the answer is not cut off in a narrow side bar");
  assert.deepEqual(row?.command?.argument, { uri: URI, line: 4 });
  assert.deepEqual(row?.argument, { uri: URI, kernel: "k(float *)" });
});

test("a job says whether it runs or waits, and can be cancelled by its id", () => {
  const [asked, background] = section("Jobs");
  assert.equal(`${asked?.label}: ${asked?.description}`, "Suggest for k: my kernel.cu, running");
  assert.equal(`${background?.label}: ${background?.description}`, "Verify my kernel.cu: waiting, in the background");
  assert.deepEqual(asked?.argument, { job_id: "J1" });
});

test("a pair session shows its ladder, the best and the present version marked in words", () => {
  const [session] = section("Pair sessions");
  assert.equal(session?.tooltip, "Goal: twice as fast\nKeep to: block 256");
  assert.deepEqual(
    session?.children.map(({ label, kind }) => [label, kind]),
    [
      ["the baseline", "version"],
      ["version 1 (best so far, in the editor)", "version.current"],
    ],
  );
  assert.deepEqual(session?.children[0]?.argument, { uri: URI, kernel: "k", version: 0 });
});

test("two kernels of one signature are two rows, each with its line", () => {
  const [kernel] = FULL.kernels;
  const twice = kernel === undefined ? [] : [kernel, { ...kernel, document_line: 9 }];
  const [section] = rows({ ...NOTHING, kernels: twice });
  assert.deepEqual(section?.children.map(({ description }) => description?.split(" · ")[0]), ["my kernel.cu:5", "my kernel.cu:10"]);
  assert.equal(new Set(section?.children.map(({ id }) => id)).size, 2);
});

test("what is cut off in a narrow side bar is in the tooltip", () => {
  const tooltip = (name: string): string => section(name)[0]?.tooltip ?? "";
  assert.equal(tooltip("Kernels"), "k(float *)\nmy kernel.cu:5\nPASS\nnot profiled yet");
  for (const name of ["Proposals", "Decisions"]) assert.ok(tooltip(name).includes(section(name)[0]?.label ?? "no row"));
});

test("rows have ids of their own", () => {
  const all = (found: readonly Row[]): readonly string[] => found.flatMap((row) => [row.id, ...all(row.children)]);
  const ids = all(rows(FULL));
  assert.equal(new Set(ids).size, ids.length);
});

test("a rejection can be taken back as long as it stands", () => {
  const kinds = (state: string): readonly (string | undefined)[] =>
    rows({ ...FULL, decisions: FULL.decisions.map((decision) => ({ ...decision, state })) })
      .find((row) => row.label === "Decisions")!
      .children.map((row) => row.kind);
  assert.deepEqual(kinds("rejected"), ["decision.rejected"]);
  assert.deepEqual(kinds("open"), ["decision"]);
});

test("only the sections that say something else are read anew, so that clicks on other rows find them", () => {
  const [first, ...others] = FULL.jobs;
  assert.ok(first !== undefined);
  const [kernel] = FULL.kernels;
  assert.ok(kernel !== undefined);
  assert.deepEqual(changedSections(rows(FULL), rows({ ...FULL, jobs: [...FULL.jobs] })), []);
  assert.deepEqual(changedSections(rows(FULL), rows({ ...FULL, kernels: [{ ...kernel, headline: "trying 1 of 4" }] })), ["kernels"]);
  assert.deepEqual(changedSections(rows(FULL), rows({ ...FULL, jobs: [{ ...first, is_running: false }, ...others] })), ["jobs"]);
  assert.equal(changedSections(rows(FULL), rows({ ...FULL, jobs: [] })), undefined);
});

test("a restart says which jobs of a person it ended", () => {
  assert.equal(endedByRestart(FULL.jobs), "The restart ended: Suggest for k. Nothing came of it; start it again if you want it.");
  assert.equal(endedByRestart(FULL.jobs.filter(({ is_background }) => is_background)), undefined);
});
