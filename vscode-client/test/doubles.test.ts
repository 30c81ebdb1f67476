import assert from "node:assert/strict";
import { test } from "node:test";

import { Doubles, type Said, withoutDoubles } from "../src/server/doubles.ts";

function said(line: number, message: string, source: string, severity = 0): Said {
  return { severity, source, message, range: { start: { line } } };
}

// nvcc 13.0's and clangd 22's words on the same mistakes
const PAIRS: readonly (readonly [string, string])[] = [
  ['identifier "missing" is undefined', "use of undeclared identifier 'missing'"],
  ['expression must have class type but it has type "float *"', "member reference base type 'float *' is not a structure or union"],
  ['a value of type "float *" cannot be used to initialize an entity of type "int *"', "cannot initialize a variable of type 'int *' with an lvalue of type 'float *'"],
  ['expected a ";"', "expected ';' after expression"],
];

test("an error that clangd names on the same line is not said twice", () => {
  for (const [nvcc, clang] of PAIRS) assert.deepEqual(withoutDoubles([said(3, nvcc, "nvcc")], [said(3, clang, "clang")]), [], nvcc);
});

test("a warning that clangd gives on the same line is not said twice", () => {
  const mine = said(3, 'variable "unused_thing" was declared but never referenced', "nvcc", 1);
  for (const source of ["clang", "clang-tidy"]) assert.deepEqual(withoutDoubles([mine], [said(3, "Unused variable 'unused_thing'", source, 1)]), []);
});

test("what clangd does not say stays: another line, another error, an error of which it only warns, a finding, an extension that is not clangd", () => {
  const [pair] = PAIRS;
  assert.ok(pair !== undefined);
  const [nvcc, clang] = pair;
  const mine = said(3, nvcc, "nvcc");
  assert.deepEqual(withoutDoubles([mine], [said(4, clang, "clang")]), [mine]);
  assert.deepEqual(withoutDoubles([mine], [said(3, "use of undeclared identifier 'other'", "clang")]), [mine]);
  assert.deepEqual(withoutDoubles([mine], [said(3, clang, "clang", 1)]), [mine]);
  assert.deepEqual(withoutDoubles([mine], [said(3, clang, "another")]), [mine]);
  const finding = said(3, "race on 'missing'", "kernelopt");
  assert.deepEqual(withoutDoubles([finding], [said(3, clang, "clang")]), [finding]);
});

test("ours goes when clangd's comes, returns when that goes, and is never shown anew without a reason", () => {
  const [pair] = PAIRS;
  assert.ok(pair !== undefined);
  const [nvcc, clang] = pair;
  const all: Said[] = [];
  const shown: number[] = [];
  const doubles = new Doubles<string, Said>(() => all);
  doubles.show("a.cu", [said(3, nvcc, "nvcc")], (_, diagnostics) => shown.push(diagnostics.length));
  doubles.changed(["a.cu", "b.cu"]);
  all.push(said(3, clang, "clang"));
  doubles.changed(["a.cu"]);
  doubles.changed(["a.cu"]);
  all.pop();
  doubles.changed(["a.cu"]);
  assert.deepEqual(shown, [1, 0, 1]);
});
