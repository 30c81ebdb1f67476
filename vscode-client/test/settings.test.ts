import assert from "node:assert/strict";
import { test } from "node:test";

import { explicitValue, explicitValues, nested } from "../src/server/settings.ts";

test("the nearest explicit value counts, and a default is none", () => {
  assert.equal(explicitValue({ globalValue: 1, workspaceValue: 2, workspaceFolderValue: 3 }), 3);
  assert.equal(explicitValue({ globalValue: false }), false);
  assert.equal(explicitValue({}), undefined);
  assert.equal(explicitValue(undefined), undefined);
});

test("dotted names become objects, and what nobody set is left out", () => {
  const values = new Map<string, unknown>([
    ["build.flags", ["-O3"]],
    ["build.other", undefined],
    ["background.verify", "off"],
    ["background.profile", "on_save"],
    ["target", "a100"],
  ]);
  assert.deepEqual(nested(values), {
    build: { flags: ["-O3"] },
    background: { verify: "off", profile: "on_save" },
    target: "a100",
  });
});

test("what only the user may say is not taken from a workspace", () => {
  const declared = { "kernelopt.provider.base_url": { scope: "machine" }, "kernelopt.target": { scope: "window" } };
  const values = explicitValues(declared, "kernelopt", () => ({ workspaceValue: "theirs" }));
  assert.deepEqual(nested(values), { target: "theirs" });
  const own = explicitValues(declared, "kernelopt", () => ({ globalValue: "mine", workspaceValue: "theirs" }));
  assert.deepEqual(nested(own), { provider: { base_url: "mine" }, target: "theirs" });
});
