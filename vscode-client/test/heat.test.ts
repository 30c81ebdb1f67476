import assert from "node:assert/strict";
import { test } from "node:test";

import { type CountedLine, gutterIcon, legend, marks } from "../src/heat/lines.ts";

const STORE: CountedLine = { line: 10, kernel: "k(float *)", heat_step: 4, heat: "store 32 sectors/request, 4 would do" };
const COOL: CountedLine = { ...STORE, line: 3, heat_step: 0, heat: "" };

test("a hot line has one mark, with its number in words", () => {
  assert.deepEqual(marks([STORE, STORE, COOL]), [{ line: 10, step: 4, text: "store 32 sectors/request, 4 would do" }]);
});

test("of two kernels on a line the hotter one tells", () => {
  const cooler = { ...STORE, kernel: "other()", heat_step: 1, heat: "load 5 sectors/request, 4 would do" };
  assert.equal(marks([cooler, STORE])[0]?.text, STORE.heat);
});

test("an edited line tells what is predicted of it, with no bar for what was counted before", () => {
  const live = "≈ store: was 4, now 32 sectors/request";
  assert.deepEqual(marks([STORE, { ...COOL, line: 10, live }]), [{ line: 10, step: 0, text: live }]);
});

test("marks come in the order of their lines", () => {
  assert.deepEqual(marks([STORE, { ...STORE, line: 2 }]).map(({ line }) => line), [2, 10]);
});

test("the bar in the gutter gets wider with the heat: no colour is needed to see it", () => {
  const widths = [1, 2, 3, 4].map((step) => Number(/width="(\d+)" height="16" fill-op/.exec(gutterIcon(step, "#000"))?.[1]));
  assert.deepEqual(widths, [2, 4, 6, 8]);
});

test("the legend tells every step without a colour", () => {
  for (const range of ["up to 25 %", "up to 50 %", "up to 75 %", "above 75 %"]) assert.ok(legend(true).includes(`| ${range} |`));
  assert.match(legend(false), /Click to show/);
});
