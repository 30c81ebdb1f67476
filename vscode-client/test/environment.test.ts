import assert from "node:assert/strict";
import { test } from "node:test";

import { environment } from "../src/server/environment.ts";
import { levelOf } from "../src/server/levels.ts";
import { expanded } from "../src/server/paths.ts";

test("programs see none of the editor's own variables, and keys only where there are some", () => {
  const made = environment({ PATH: "/usr/bin", HOME: "/h", VSCODE_PID: "1", ELECTRON_RUN_AS_NODE: "1" }, new Map([["MY_KEY", "secret"]]), undefined);
  assert.deepEqual(made, { PATH: "/usr/bin", HOME: "/h", MY_KEY: "secret" });
});

test("the folder of the user's Python stands first", () => {
  assert.equal(environment({ PATH: "/usr/bin" }, new Map(), "/w/.venv/bin/python")["PATH"], "/w/.venv/bin:/usr/bin");
  assert.equal(environment({ PATH: "/usr/bin" }, new Map(), "python3")["PATH"], "/usr/bin");
});

test("paths of settings are written as people write them", () => {
  assert.equal(expanded("~/venv/bin/python", "/home/me", "/w"), "/home/me/venv/bin/python");
  assert.equal(expanded(" ${workspaceFolder}/.venv/bin/python ", "/home/me", "/w"), "/w/.venv/bin/python");
  assert.equal(expanded(".venv/bin/python", "/home/me", "/w"), "/w/.venv/bin/python");
  assert.equal(expanded("python3.12", "/home/me", "/w"), "python3.12");
  assert.equal(expanded("", "/home/me", undefined), "");
});

test("what the server writes is logged by the level that it says", () => {
  const lines = ["WARNING pygls.protocol: late", "INFO lsp: here", "ERROR lsp: wrong", "Traceback (most recent call last):"];
  assert.deepEqual(lines.map(levelOf), ["warn", "info", "error", "error"]);
});
