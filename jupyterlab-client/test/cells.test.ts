// The same cells are CUDA here as in the language server: tests/unit/jupyter_ext/test_cells.py reads the same file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cudaPart } from "../src/cuda-cells.ts";

interface Known {
  cell: string;
  code: string | null;
  line: number | null;
}

const known = JSON.parse(readFileSync(new URL("cells.json", import.meta.url), "utf8")) as Known[];

for (const { cell, code, line } of known) {
  test(`${JSON.stringify(cell)} is ${code === null ? "no CUDA" : "CUDA"}`, () => {
    const part = cudaPart(cell);
    assert.deepEqual([part?.code ?? null, part?.line ?? null], [code, line]);
  });
}
