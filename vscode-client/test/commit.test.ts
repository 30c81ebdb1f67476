import assert from "node:assert/strict";
import { test } from "node:test";

import type { Extension, Uri } from "vscode";

import { committedText, type GitExtension } from "../src/testing/commit.ts";

const FILE = { fsPath: "/w/a.cu" } as Uri;

/** VS Code's git as it is with the setting, and with what it shows of a commit. */
function git(enabled: boolean, show?: () => Promise<string>): Extension<GitExtension> {
  const getAPI: GitExtension["getAPI"] = () => {
    if (!enabled) throw new Error("Git model not found");
    return { getRepository: () => (show === undefined ? null : { show }) };
  };
  return { activate: async () => ({ enabled, getAPI }) } as unknown as Extension<GitExtension>;
}

async function missing(extension: Extension<GitExtension> | undefined): Promise<string> {
  const found = await committedText(extension, FILE);
  return "missing" in found ? found.missing : `text: ${found.text}`;
}

test("git that is off is not a file without a commit", async () => {
  assert.match(await missing(git(false)), /git\.enabled/);
  assert.match(await missing(undefined), /Git extension is disabled/);
});

test("a file is in no commit where there is no repository, or none that has it", async () => {
  const unknown = git(true, () => Promise.reject(new Error("exists on disk, but not in 'HEAD'")));
  for (const extension of [git(true), unknown]) assert.match(await missing(extension), /in no commit/);
});

test("an empty file in the last commit is a text", async () => {
  assert.equal(await missing(git(true, () => Promise.resolve(""))), "text: ");
});
