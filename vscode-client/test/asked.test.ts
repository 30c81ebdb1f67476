import assert from "node:assert/strict";
import { test } from "node:test";

import type { Proposal } from "../src/protocol/answers.ts";
import { asked, NOTHING, type Picture } from "../src/server/asked.ts";

const PROPOSAL: Proposal = { id: "P1", title: "", accept_title: "", uri: "", kernel: "", file: "", summary: "", techniques: [], hunk_ids: [], labels: [], model: null };
const BEFORE: Picture = { ...NOTHING, proposals: [PROPOSAL], isAnswered: true };

function server(failing: string): <Answer>(method: string, params: object) => Promise<Answer> {
  return async <Answer>(method: string, params: object) => {
    if (JSON.stringify({ method, ...params }).includes(failing)) throw new Error("the server ended");
    return (method === "kernelopt/status" ? undefined : []) as Answer;
  };
}

test("a list that is not answered says nothing of what is open", async () => {
  const failed: string[] = [];
  const picture = await asked(server("proposals"), BEFORE, (what) => failed.push(what));
  assert.deepEqual([picture.proposals, picture.isAnswered, failed], [[PROPOSAL], false, ["list of proposals"]]);
});

test("an empty list that is answered is one", async () => {
  const picture = await asked(server("pair"), BEFORE, () => undefined);
  assert.deepEqual([picture.proposals, picture.isAnswered], [[], true]);
});

test("while no server runs nothing is known to be decided", () => {
  assert.equal(NOTHING.isAnswered, false);
});
