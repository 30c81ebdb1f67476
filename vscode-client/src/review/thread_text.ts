/** What the thread of a hunk says, and what can be done in it. Values only. */

import type { Preview } from "../protocol/answers.ts";
import { type Choice, tied } from "./choice.ts";

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
  const [claim = "", ...rest] = about;
  const tie = tied(choice, hunk);
  const first = tie === undefined ? claim : `${claim} (${tie})`;
  const isFirst = choice.hunks[0]?.id === hunk;
  return { lines: isFirst ? [first, ...rest] : [first], actions: [...parts(choice, hunk, choices.length), ...whole(choice.proposal, accept_title, others.length)] };
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
