import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRequest, smallestEdit } from "../src/replacing.ts";

const REQUEST = { protocol: 1, request: "replace", cell_id: "c", expected: "a", replacement: "b", proposal_id: "P1" };

function edited(before: string, after: string): string {
  const { start, end, text } = smallestEdit(before, after);
  return before.slice(0, start) + text + before.slice(end);
}

test("a request of our protocol is read, every other is not", () => {
  assert.deepEqual(parseRequest(REQUEST), { cellId: "c", expected: "a", replacement: "b" });
  for (const other of [null, "replace", {}, { ...REQUEST, protocol: 2 }, { ...REQUEST, expected: 1 }, { ...REQUEST, request: "run" }]) {
    assert.equal(parseRequest(other), undefined);
  }
});

test("a request for a new cell is read, too", () => {
  const request = { protocol: 1, request: "insert", cell_id: "c", code: "x" };
  assert.deepEqual(parseRequest(request), { belowId: "c", code: "x" });
  for (const other of [{ ...request, code: 1 }, { ...request, cell_id: undefined }, { ...request, protocol: 2 }]) assert.equal(parseRequest(other), undefined);
});

test("an edit makes the one text from the other and leaves equal ends alone", () => {
  for (const [before, after] of [["", ""], ["", "a"], ["a", ""], ["aa", "a"], ["a", "aa"], ["abc", "axc"], ["aba", "ababa"], ["x🚀y", "x🚁y"], ["🚀", "🚁🚀"]] as const) {
    assert.equal(edited(before, after), after);
  }
  assert.deepEqual(smallestEdit("tile[32][32];\n", "tile[32][33];\n"), { start: 10, end: 11, text: "3" });
});

test("an edit never cuts a character in half", () => {
  assert.deepEqual(smallestEdit("x🚀y", "x🚁y"), { start: 1, end: 3, text: "🚁" });
});
