import assert from "node:assert/strict";
import { test } from "node:test";

import { refusalOf } from "../src/model/refusals.ts";
import { Refusal } from "../src/protocol/completion.ts";

/** As VS Code's `LanguageModelError` arrives: an error with a code, and the provider's own error as its cause. */
function told(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}

const REFUSALS: readonly (readonly [string, Error, Refusal["kind"]])[] = [
  ["nobody consented", told("NoPermissions", "access denied"), "no_consent"],
  ["the model is gone", told("NotFound", "no such model"), "no_model"],
  ["the filter declines", told("Blocked", "blocked by policy"), "blocked"],
  ["the quota is used up, as VS Code lists it", told("Blocked", "quota exceeded"), "quota"],
  ["the quota is used up, as the provider says", told("Unknown", "failed", new Error("429 Too Many Requests")), "quota"],
  ["the request is cancelled", told("Unknown", "Canceled"), "cancelled"],
  ["something else", told("Unknown", "the model fell over"), "blocked"],
];

for (const [name, error, kind] of REFUSALS) {
  test(`${name}: ${kind}`, () => {
    const refusal = refusalOf(error);
    assert.equal(refusal.kind, kind);
    assert.equal(refusal.message, error.message);
  });
}

test("a refusal of our own stays what it is", () => {
  const own = new Refusal("no_consent", "it was not allowed");
  assert.equal(refusalOf(own), own);
});
