import assert from "node:assert/strict";
import { test } from "node:test";

import type { HunkPlace, Preview } from "../src/protocol/answers.ts";
import {
  type Address,
  acceptance,
  afterLines,
  changesTitle,
  describe,
  everything,
  heading,
  inheriting,
  isCalled,
  isDecided,
  keeping,
  partly,
  proposalOf,
  skipping,
  tied,
  toggled,
  together,
} from "../src/review/choice.ts";
import { explanationName } from "../src/review/name.ts";
import { linesOf, livePlace, newLines } from "../src/review/place.ts";
import { rejection } from "../src/review/reasons.ts";
import { liveHeading, liveText, threadText } from "../src/review/thread_text.ts";

const HUNKS: readonly HunkPlace[] = [
  { id: "a", before_line: 8, before_count: 0, after_line: 8, after_count: 1 },
  { id: "b", before_line: 11, before_count: 1, after_line: 12, after_count: 3 },
  { id: "c", before_line: 20, before_count: 2, after_line: 23, after_count: 0 },
];
const CHOICE = everything("P1", [{ name: "a.cu", hunks: HUNKS }]);

test("all hunks are accepted as the proposal, some of them by their ids", () => {
  assert.deepEqual(acceptance(CHOICE), { proposal_id: "P1" });
  assert.deepEqual(acceptance(toggled(CHOICE, "b")), { proposal_id: "P1", hunk_ids: ["a", "c"] });
  assert.deepEqual(acceptance(toggled(toggled(CHOICE, "b"), "b")), { proposal_id: "P1" });
});

test("nothing is left to accept where every hunk is left out", () => {
  const none = HUNKS.reduce((choice, hunk) => toggled(choice, hunk.id), CHOICE);
  assert.equal(acceptance(none), undefined);
});

test("a hunk says which one it is and what it does", () => {
  assert.deepEqual(
    HUNKS.map((hunk) => describe(HUNKS, hunk)),
    ["Hunk 1 of 3 · line 8 · 1 line inserted", "Hunk 2 of 3 · line 12 · 1 line becomes 3", "Hunk 3 of 3 · line 23 · 2 lines removed"],
  );
  const same: HunkPlace = { id: "d", before_line: 3, before_count: 1, after_line: 3, after_count: 1 };
  assert.equal(describe([same], same), "Hunk 1 of 1 · line 3 · 1 line changed");
});

test("what is left out is said by number, and over its thread", () => {
  assert.equal(partly(CHOICE), undefined);
  const one = toggled(CHOICE, "b");
  assert.deepEqual(partly(one), { taken: "2 of 3 hunks", leftOut: "hunk 2" });
  assert.deepEqual(partly(toggled(one, "c")), { taken: "1 of 3 hunks", leftOut: "hunks 2, 3" });
  assert.deepEqual(
    HUNKS.map((hunk) => heading(one, hunk)),
    ["line 8 · 1 line inserted", "Left out of Accept · line 12 · 1 line becomes 3", "line 23 · 2 lines removed"],
  );
});

test("a hunk of a change of several files says where the rest of it is", () => {
  const [inHeader, ...inMain] = HUNKS;
  assert.ok(inHeader !== undefined);
  const choice = everything("P2", [{ name: "lib/a.cuh", hunks: [inHeader] }, { name: "main.cu", hunks: inMain }]);
  assert.equal(heading(choice, inHeader), "line 8 · 1 line inserted · more in main.cu");
  assert.deepEqual(
    inMain.map((hunk) => heading(toggled(choice, "c"), hunk)),
    ["line 12 · 1 line becomes 3 · more in lib/a.cuh", "Left out of Accept · line 23 · 2 lines removed · more in lib/a.cuh"],
  );
});

test("a hunk is shown on its lines of the proposal, a removal on the line after it", () => {
  assert.deepEqual(HUNKS.map(afterLines), [
    { first: 7, last: 7 },
    { first: 11, last: 13 },
    { first: 22, last: 22 },
  ]);
});

function address(scheme: string, path: string, query = ""): Address {
  return { scheme, path, query };
}

test("an address of a proposal names it, and no other does", () => {
  assert.equal(proposalOf(address("kernelopt", "/proposal/P01ABC/transpose.cu")), "P01ABC");
  assert.equal(proposalOf(address("kernelopt", "/proposal/P01ABC/before/a.cu")), "P01ABC");
  assert.equal(proposalOf(address("kernelopt", "/proposal/P01ABC.md")), "P01ABC");
  assert.equal(proposalOf(address("file", "/proposal/P01ABC/transpose.cu")), undefined);
  assert.equal(proposalOf(address("kernelopt", "/other")), undefined);
  assert.equal(proposalOf(address("kernelopt", "/include/tile.cuh", "P01ABC")), "P01ABC");
  assert.equal(proposalOf(address("kernelopt", "/include/tile.cuh", "P01ABC/before")), "P01ABC");
  assert.equal(proposalOf(address("git", "/include/tile.cuh", "P01ABC")), undefined);
});

test("a reject sends only what was said", () => {
  assert.deepEqual(rejection("P1", undefined, " "), { proposal_id: "P1" });
  assert.deepEqual(rejection("P1", "style", ""), { proposal_id: "P1", reason_code: "style" });
  assert.deepEqual(rejection("P1", "other", " too long "), { proposal_id: "P1", reason_code: "other", reason: "too long" });
});

test("an explanation's tab is called by what is proposed", () => {
  assert.equal(explanationName("### ≈1.78x predicted, right in 10 of 10 cases: Store whole rows\n\nWhy"), "Proposal: ≈1.78x predicted");
  assert.equal(explanationName("nothing of the kind"), "Proposal");
});

const TIED = everything("P1", [{ name: "a.cu", hunks: HUNKS }], [["a", "c"], ["b"]]);
const PREVIEW: Preview = {
  proposal_id: "P1",
  files: [],
  about: ["≈1.60x predicted, right in 10 of 10 cases", "Keep the sum in a register.", "Holds for: blocks of 32 × 8"],
  accept_title: "Accept",
  choices: [["a", "c"], ["b"]],
  others: [{ title: "loop-unrolling: not faster", why: "1.00x", tried: "1 of 1", before_uri: "kernelopt:/x", after_uri: "kernelopt:/y" }],
};

test("hunks that only work together are one choice", () => {
  assert.deepEqual(acceptance(toggled(TIED, "c")), { proposal_id: "P1", hunk_ids: ["b"] });
  assert.deepEqual(acceptance(toggled(toggled(TIED, "a"), "c")), { proposal_id: "P1" });
  assert.deepEqual(together(TIED, "b"), ["b"]);
  assert.equal(tied(TIED, "a"), "hunks 1 and 3 only work together");
  assert.equal(tied(TIED, "b"), undefined);
});

test("the first thread says gain, verdict, reason and assumption, the others the first line", () => {
  const first = threadText(TIED, "a", PREVIEW);
  assert.deepEqual(first.lines, ["≈1.60x predicted, right in 10 of 10 cases (hunks 1 and 3 only work together)", ...PREVIEW.about.slice(1)]);
  assert.deepEqual(
    first.actions.map(({ title }) => title),
    ["Accept only this", "Leave it out", "Accept", "Reject…", "Why", "Others tried (1)"],
  );
  assert.deepEqual(threadText(TIED, "b", PREVIEW).lines, ["≈1.60x predicted, right in 10 of 10 cases"]);
  assert.deepEqual(threadText(TIED, "c", PREVIEW).lines, ["Hunks 1 and 3 only work together"], "what the first of them says is not repeated");
});

test("a change that is one choice has no part to take, and what was left out can be taken again", () => {
  const whole = threadText(CHOICE, "b", { ...PREVIEW, choices: [["a", "b", "c"]], others: [] });
  assert.deepEqual(
    whole.actions.map(({ title }) => title),
    ["Accept", "Reject…", "Why"],
  );
  assert.ok(threadText(toggled(TIED, "b"), "b", PREVIEW).actions.some(({ title }) => title === "Take it again"));
});

test("nothing is decided before every choice is kept or skipped, and those that only work together are said once", () => {
  const one = keeping(TIED, "a");
  assert.equal(isDecided(one), false);
  assert.deepEqual([...one.kept], ["a", "c"]);
  const skipped = skipping(one, "b");
  assert.equal(isDecided(skipped), true);
  assert.deepEqual(acceptance(skipped), { proposal_id: "P1", hunk_ids: ["a", "c"] });
  assert.deepEqual(acceptance(keeping(skipped, "b")), { proposal_id: "P1" });
  assert.equal(acceptance(skipping(skipped, "c")), undefined, "nothing is kept: a reject");
  assert.equal(isDecided(toggled(skipped, "a")), true);
  assert.equal(isDecided(toggled(toggled(skipped, "a"), "a")), false, "taken again is not kept");
});

test("what is left of a proposal keeps what was said Keep to, and as long as it is judged a gain is that of all hunks", () => {
  const whole = everything("P1", [{ name: "a.cu", hunks: HUNKS }]);
  const [first, , third] = HUNKS;
  assert.ok(first !== undefined && third !== undefined);
  const rest = everything("P2", [{ name: "a.cu", hunks: [first, third] }]);
  const said = skipping(keeping(whole, "a"), "b");
  assert.deepEqual([...inheriting(rest, [whole, said]).kept], ["a"]);
  assert.deepEqual([...inheriting(rest, [skipping(whole, "b")]).kept], []);
  assert.deepEqual([...inheriting(rest, [everything("P0", [{ name: "a.cu", hunks: [third] }])]).kept], [], "an earlier one has all of its hunks");
  assert.equal(isDecided(inheriting(rest, [keeping(said, "c")])), false, "it was accepted as a part, and undone: nothing is accepted again by itself");
  assert.equal(liveText(said, "a", PREVIEW).lines[0], "All hunks: ≈1.60x predicted, right in 10 of 10 cases");
});

test("a thread in the live file offers Keep and Skip, with what is agreed to, and says what was said to it", () => {
  const needsDecision = { ...PREVIEW, accept_title: "Accept with fewer digits" };
  const titles = (choice: typeof TIED): readonly string[] => liveText(choice, "a", needsDecision).actions.map(({ title }) => title);
  assert.deepEqual(titles(TIED), ["Keep with fewer digits", "Skip", "Review", "Why"]);
  assert.deepEqual(titles(everything("P1", [{ name: "a.cu", hunks: HUNKS }], [["a", "b", "c"]])), ["Keep with fewer digits", "Skip…", "Review", "Why"]);
  const [first, second] = HUNKS;
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(liveHeading(keeping(TIED, "a"), first), "Kept: goes in once the others are decided · 1 line inserted");
  assert.equal(liveHeading(skipping(TIED, "b"), second), "Skipped · 1 line becomes 3");
  assert.equal(liveHeading(TIED, second), "1 line becomes 3");
});

test("a hunk moves with what is typed around it, and is gone where its lines are touched", () => {
  const made = linesOf("a\nb\nc\nd\ne\n");
  const hunk: HunkPlace = { id: "h", before_line: 3, before_count: 2, after_line: 3, after_count: 1 };
  const place = (now: string): unknown => livePlace(hunk, made, linesOf(now));
  assert.deepEqual(place("a\nb\nc\nd\ne\n"), { line: 2, count: 2 });
  assert.deepEqual(place("new\na\nb\nc\nd\ne\n"), { line: 3, count: 2 });
  assert.deepEqual(place("a\nb\nc\nd\nchanged\n"), { line: 2, count: 2 });
  assert.deepEqual(place("b\r\nc\r\nd\r\ne\r\n"), { line: 1, count: 2 });
  assert.deepEqual(place("a \nb\nc  \nd\ne\n"), { line: 2, count: 2 });
  assert.equal(place("a\nb\nC\nd\ne\n"), undefined);
  assert.equal(place("a\nb\nc\nbetween\nd\ne\n"), undefined);
  assert.equal(place("a\n"), undefined);
});

test("lines that are only inserted have a place, too, and the lines of a hunk are the proposal's", () => {
  const hunk: HunkPlace = { id: "h", before_line: 2, before_count: 0, after_line: 2, after_count: 2 };
  assert.deepEqual(livePlace(hunk, ["a", "b"], ["x", "a", "b"]), { line: 2, count: 0 });
  assert.deepEqual(newLines(hunk, ["a", "n1", "n2", "b"]), ["n1", "n2"]);
});

test("changes of several files are called by their files and what they are worth, each otherwise", () => {
  assert.equal(changesTitle(["a.cuh", "main.cu"], "≈1.60x predicted", []), "a.cuh, main.cu ↔ ≈1.60x predicted");
  assert.equal(changesTitle(["a.cuh"], "1.2x", ["a.cuh ↔ 1.2x"]), "a.cuh ↔ 1.2x · 2");
  assert.ok(isCalled("a.cuh ↔ 1.2x (2 files)", "a.cuh ↔ 1.2x"));
  assert.ok(!isCalled("a.cuh ↔ 1.2x · 2 (2 files)", "a.cuh ↔ 1.2x"));
});
