/** What the thread of a hunk says, in the diff and in the live file, and what can be done in it. Values only. */

import type { HunkPlace, Preview } from "../protocol/answers.ts";
import { change, type Choice, isOneChoice, tied, together } from "./choice.ts";

export interface ThreadAction {
  readonly title: string;
  readonly command: string;
  readonly argument: object;
}

export interface ThreadText {
  readonly lines: readonly string[];
  readonly actions: readonly ThreadAction[];
}

/** The first hunk's thread has all of it; the others say that they are a part of the same change. */
export function threadText(choice: Choice, hunk: string, { about, accept_title, choices, others }: Preview): ThreadText {
  return { lines: lines(choice, hunk, about), actions: [...parts(choice, hunk, choices.length), ...whole(choice.proposal, accept_title, others.length)] };
}

/** Of a thread in the live file, where the new lines stand below it. */
export function liveText(choice: Choice, hunk: string, { about, accept_title }: Preview): ThreadText {
  const [argument, whole] = [{ proposal_id: choice.proposal, hunk_id: hunk }, { proposal_id: choice.proposal }];
  const actions = [
    { title: accept_title.replace(/^Accept/, "Keep"), command: "kernelopt.ui.keepHunk", argument },
    { title: isOneChoice(choice) ? "Skip…" : "Skip", command: "kernelopt.ui.skipHunk", argument },
    { title: "Review", command: "kernelopt.proposal.preview", argument: whole },
    { title: "Why", command: "kernelopt.proposal.explain", argument: whole },
  ];
  const [claim = "", ...rest] = about;
  const shown = choice.leftOut.size === 0 ? about : [`All hunks: ${claim}`, ...rest]; // what is left is judged apart, and offered then
  return { lines: lines(choice, hunk, shown), actions };
}

/** What stands over a thread in the live file: what the hunk does, and what was said to it. */
export function liveHeading(choice: Choice, hunk: HunkPlace): string {
  if (choice.kept.has(hunk.id)) return `Kept: goes in once the others are decided · ${change(hunk)}`;
  return choice.leftOut.has(hunk.id) ? `Skipped · ${change(hunk)}` : change(hunk);
}

function lines(choice: Choice, hunk: string, [claim = "", ...rest]: readonly string[]): readonly string[] {
  const tie = tied(choice, hunk);
  const first = tie === undefined ? claim : `${claim} (${tie})`;
  if (choice.hunks[0]?.id === hunk) return [first, ...rest];
  return [tie !== undefined && together(choice, hunk)[0] !== hunk ? `H${tie.slice(1)}` : first]; // the thread of the first of them has the claim
}

/** Of a change that is one choice there is no part to take. */
function parts({ leftOut, proposal }: Choice, hunk: string, count: number): readonly ThreadAction[] {
  if (count < 2) return [];
  const argument = { proposal_id: proposal, hunk_id: hunk };
  return [
    { title: "Accept only this", command: "kernelopt.ui.acceptHunk", argument },
    leftOut.has(hunk)
      ? { title: "Take it again", command: "kernelopt.ui.takeHunk", argument }
      : { title: "Leave it out", command: "kernelopt.ui.leaveHunkOut", argument },
  ];
}

function whole(proposal: string, accept: string, otherCount: number): readonly ThreadAction[] {
  const argument = { proposal_id: proposal };
  return [
    { title: accept, command: "kernelopt.proposal.accept", argument },
    { title: "Reject…", command: "kernelopt.proposal.reject", argument },
    { title: "Why", command: "kernelopt.proposal.explain", argument },
    ...(otherCount === 0 ? [] : [{ title: `Others tried (${otherCount})`, command: "kernelopt.ui.othersTried", argument }]),
  ];
}
