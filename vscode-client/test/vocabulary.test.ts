import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { EVENT_NAMES } from "../src/protocol/events.ts";
import { REASONS } from "../src/review/reasons.ts";

function source(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

test("events are called what the server calls them", () => {
  const text = source("assistant/model/events.py") + source("assistant/model/code_events.py");
  const names = [...text.matchAll(/event: Literal\["(\w+)"\]/g)].map((match) => match[1]);
  assert.deepEqual([...EVENT_NAMES].sort(), names.sort());
});

test("the reasons of a reject are those that the server takes, in its order", () => {
  const codes = /REASON_CODES = \(([^)]*)\)/.exec(source("assistant/model/proposal.py"))?.[1]?.match(/[\w-]+/g);
  assert.deepEqual(REASONS.map(({ code }) => code), codes);
});

test("the extension, the package inside it and the server share one version", () => {
  const version: unknown = JSON.parse(source("vscode-client/package.json")).version;
  assert.equal(version, /^version = "(.*)"$/m.exec(source("pyproject.toml"))?.[1]);
});
