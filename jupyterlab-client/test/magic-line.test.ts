// The magic's line of a cell is no C++, whatever stands on it; the text below is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cpp } from "@codemirror/lang-cpp";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { withMagicLine } from "../src/magic-line.ts";

const KINDS = tagHighlighter([
  { tag: tags.comment, class: "comment" },
  { tag: tags.controlKeyword, class: "keyword" },
]);
const PARSER = withMagicLine(cpp()).language.parser;

// Each coloured stretch as [kind, its text].
function coloured(text: string): [string, string][] {
  const found: [string, string][] = [];
  highlightTree(PARSER.parse(text), KINDS, (from, to, kind) => found.push([kind, text.slice(from, to)]));
  return found;
}

test("what divides on the magic's line begins no comment", () => {
  const line = '%%kernelopt --grid "(n+255)//256"\n';
  assert.deepEqual(coloured(`${line}// halves\nvoid f() { return; }`), [
    ["comment", "// halves"],
    ["keyword", "return"],
  ]);
});

test("a pointer's star on the magic's line opens no comment that goes on below", () => {
  const line = "%%cu --args x=a/*b\n";
  assert.deepEqual(coloured(`${line}void f() { return; }`), [
    ["keyword", "return"],
  ]);
});

test("blank lines above the magic belong to it, and a cell may be its line alone", () => {
  assert.deepEqual(coloured("\n%%cuda\nreturn;"), [
    ["keyword", "return"],
  ]);
  assert.deepEqual(coloured("%%kernelopt --grid n//2"), []);
});

test("a file is C++ alone", () => {
  const tree = PARSER.parse("// halves\nvoid f() { return; }");
  assert.equal(tree.topNode.name, "Program");
  assert.deepEqual(coloured("int a; // halves"), [["comment", "// halves"]]);
});

test("a text that is edited across both forms is parsed as it stands", () => {
  assert.equal(PARSER.parse("%%cu\nint a;").topNode.name, "Cell");
  assert.equal(PARSER.parse("int a;").topNode.name, "Program");
});
