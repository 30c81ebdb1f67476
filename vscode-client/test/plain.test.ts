import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { literal, plain } from "../src/plain.ts";

const SOURCES = join(import.meta.dirname, "..", "src");

test("a text of others makes no link in a message", () => {
  assert.equal(plain("unknown setting [fix me](command:workbench.action.openSettings)"), "unknown setting [fix me] (command:workbench.action.openSettings)");
  assert.equal(plain("x[i] of k(float *)"), "x[i] of k(float *)");
});

test("every message that is made of parts goes through it", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const calls = files.flatMap((name) => [...readFileSync(join(SOURCES, name), "utf8").matchAll(/show(?:Information|Warning|Error)Message\(\s*(.{0,40})/g)]);
  assert.ok(calls.length > 10);
  for (const [whole, first = ""] of calls) assert.match(first, /^(?:"[^"]*"|plain\(|"[^"]*$)/, whole);
});

test("what is shown literally makes no link and no emphasis, and keeps its code", () => {
  assert.equal(literal("[run](command:x) *a* `b[i]` <c>"), "\\[run\\]\\(command:x\\) \\*a\\* `b[i]` \\<c\\>");
  assert.equal(literal("one ` alone"), "one \\` alone");
});
