import assert from "node:assert/strict";
import { test } from "node:test";

import { type CountedLine, gutterIcon, legend, marks } from "../src/heat/lines.ts";

const STORE: CountedLine = {
  line: 10,
  kernel: "k(float *)",
  op: "global store",
  requests: 4800,
  sectors: 150000,
  ideal_sectors: 18900,
  grade: "exact",
  method: "emulator",
  heat_step: 4,
  heat: "98 % of excess sectors",
};
const LOAD: CountedLine = { ...STORE, op: "global load", sectors: 21150 };
const COOL: CountedLine = { ...STORE, line: 3, heat_step: 0, heat: "" };

test("a hot line has one mark, with its number in words", () => {
  assert.deepEqual(
    marks([STORE, LOAD, COOL]).map(({ line, step, text }) => ({ line, step, text })),
    [{ line: 10, step: 4, text: "█ 98 % of excess sectors" }],
  );
});

test("every kind of access of the line is in its hover, with ideal, grade and method", () => {
  const [mark] = marks([STORE, LOAD]);
  assert.match(mark?.detail ?? "", /global store \| 4,800 \| 150,000 sectors \(18,900\) \| exact, emulator/);
  assert.match(mark?.detail ?? "", /global load \| 4,800 \| 21,150 sectors/);
});

test("of two kernels on a line the hotter one tells", () => {
  const cooler = { ...STORE, kernel: "other()", heat_step: 1, heat: "3 % of excess sectors" };
  assert.equal(marks([cooler, STORE])[0]?.text, "█ 98 % of excess sectors");
});

test("where warps were sampled, each reason to stall is in the hover", () => {
  const line = { line: 10, kernel: STORE.kernel, heat_step: 4 };
  const [mark] = marks([{ ...line, op: "stall", reason: "long_scoreboard", samples: 1200, grade: "estimated", method: "ncu", heat: "38 % of the kernel's stalls" }]);
  assert.equal(mark?.text, "█ 38 % of the kernel's stalls");
  assert.match(mark?.detail ?? "", /stall \|  \| long scoreboard: 1,200 samples \| estimated, ncu/);
});

test("marks come in the order of their lines", () => {
  assert.deepEqual(marks([STORE, { ...STORE, line: 2 }]).map(({ line }) => line), [2, 10]);
});

test("the gutter has as many bars as there is heat: no shade, no colour and no room next to the line is needed to see it", () => {
  assert.deepEqual([1, 2, 3, 4].map((step) => gutterIcon(step, "#000").split("<rect").length - 1), [1, 2, 3, 4]);
});

test("the legend tells every step without a colour", () => {
  for (const stroke of ["▂", "▄", "▆", "█"]) assert.ok(legend(true).includes(`| ${stroke} |`));
  assert.match(legend(false), /Click to show/);
});
