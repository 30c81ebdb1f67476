/** Where a hunk is in a text that may have been edited since the proposal was made. Values only. */

import type { HunkPlace } from "../protocol/answers.ts";

/** 0-based first line of the hunk in `now`, and how many lines of it would go. */
export interface LivePlace {
  readonly line: number;
  readonly count: number;
}

/** Undefined where what was typed touches the hunk: its lines are no longer the ones that were judged. */
export function livePlace(hunk: HunkPlace, made: readonly string[], now: readonly string[]): LivePlace | undefined {
  const [first, end] = [hunk.before_line - 1, hunk.before_line - 1 + hunk.before_count];
  const { head, tail } = unchanged(made, now);
  if (end <= head) return { line: first, count: hunk.before_count };
  if (first >= made.length - tail) return { line: first + now.length - made.length, count: hunk.before_count };
  return undefined;
}

/** How many lines at the beginning and, beyond those, at the end are the same, spaces at their ends aside. */
function unchanged(made: readonly string[], now: readonly string[]): { readonly head: number; readonly tail: number } {
  const most = Math.min(made.length, now.length);
  let head = 0;
  while (head < most && isSame(made[head], now[head])) head += 1;
  let tail = 0;
  while (tail < most - head && isSame(made[made.length - 1 - tail], now[now.length - 1 - tail])) tail += 1;
  return { head, tail };
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one?.trimEnd() === other?.trimEnd();
}

/** The lines that the hunk puts in. */
export function newLines({ after_line, after_count }: HunkPlace, after: readonly string[]): readonly string[] {
  return after.slice(after_line - 1, after_line - 1 + after_count);
}

export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}
