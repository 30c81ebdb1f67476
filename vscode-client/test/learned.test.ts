import assert from "node:assert/strict";
import { test } from "node:test";

import { learned } from "../src/panel/render/learned.ts";
import type { LearnedPage, TechniquePart } from "../src/protocol/learned.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const PART: TechniquePart = {
  technique: "warp-per-row",
  kernels: "6 kernels",
  right: "6 of 6",
  speed: "3.10x [2.20, 4.00]",
  how: "measured on 6",
  people: "accepted 2",
  imported: "1 imported",
  place: 0.75,
  low: 0.5,
  high: 1,
};
const PAGE: LearnedPage = {
  states: [{ title: "Memory-bound row reductions", device: "NVIDIA H200", techniques: [PART, { ...PART, technique: HOSTILE, place: null, low: null, high: null }] }],
  axis: { one: 0.25, ticks: [[0.25, "1x"], [0.75, "4x"]] },
  sequences: ["a+b: together"],
  lessons: [{ id: "L1", technique: "warp-per-row", statements: ["paid on long rows"], rows: "C1, C2, …" }],
  tried: [{ id: "C1", technique: "warp-per-row", kernel: "norm", file: "norm.cu", created_ms: 0, outcome: "not faster", reason: HOSTILE, tried: "1 of 3: expected 1.92x" }],
  nothing: "",
};

test("a technique's numbers stand in words, and its interval is drawn where it is on the axis", () => {
  const { text } = learned(PAGE);
  for (const said of ["6 of 6", "3.10x [2.20, 4.00]", "measured on 6, 1 imported", "accepted 2"]) assert.ok(text.includes(said), said);
  assert.match(text, /<path class="range" d="M110\.0 [^"]*M212\.0 [^"]*"\/>\s*<circle class="point" cx="161\.0"/);
  assert.equal(text.match(/<circle/g)?.length, 1, "nothing is drawn of what was not timed");
});

test("lessons, sequences and why an edit was tried are said", () => {
  const { text } = learned(PAGE);
  for (const said of ["a+b: together", "paid on long rows", "Learned from C1, C2", "1 of 3: expected 1.92x"]) assert.ok(text.includes(said), said);
});

test("what others wrote is text", () => {
  assert.ok(!learned(PAGE).text.includes("<img"));
});

test("an empty memory says so, and shows no table", () => {
  const { text } = learned({ states: [], axis: null, sequences: [], lessons: [], tried: [], nothing: "Nothing was learned yet." });
  assert.match(text, /role="status">Nothing was learned yet\./);
  assert.ok(!text.includes("<table"));
});
