/** Which hunks of a proposal a person wants: all of them until one is left out. Values only. */

import type { FilePreview, HunkPlace } from "../protocol/answers.ts";

export interface Choice {
  readonly proposal: string;
  readonly hunks: readonly HunkPlace[];
  /** Of a change of several files, the file of each hunk by the hunk's id; empty where there is only one. */
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: ReadonlySet<string>;
  /** What was said Keep to, in the live file; nothing is written before every choice is kept or left out. */
  readonly kept: ReadonlySet<string>;
  /** Ids of hunks that are only decided together; hunks in none of these stand alone. */
  readonly ties: readonly (readonly string[])[];
}

/** All hunks of all files, file by file. */
export function everything(proposal: string, files: readonly Pick<FilePreview, "hunks" | "name">[], ties: readonly (readonly string[])[] = []): Choice {
  const names = files.length < 2 ? [] : files.flatMap(({ name, hunks }) => hunks.map(({ id }) => [id, name] as const));
  return { proposal, hunks: files.flatMap((file) => file.hunks), files: new Map(names), leftOut: new Set(), kept: new Set(), ties };
}

/** The choice with a hunk, and those that only work with it, taken where it was left out, and left out where it was taken. */
export function toggled(choice: Choice, hunk: string): Choice {
  const ids = together(choice, hunk);
  const isTaken = !choice.leftOut.has(hunk);
  return { ...choice, kept: without(choice.kept, ids), leftOut: isTaken ? having(choice.leftOut, ids) : without(choice.leftOut, ids) };
}

/** The choice with Keep said to a hunk, and with it to those that only work with it. */
export function keeping(choice: Choice, hunk: string): Choice {
  const ids = together(choice, hunk);
  return { ...choice, kept: having(choice.kept, ids), leftOut: without(choice.leftOut, ids) };
}

/** The choice with Skip said to a hunk, and with it to those that only work with it. */
export function skipping(choice: Choice, hunk: string): Choice {
  const ids = together(choice, hunk);
  return { ...choice, kept: without(choice.kept, ids), leftOut: having(choice.leftOut, ids) };
}

/** The choice on what another one left of its proposal, with what was said Keep to there. */
export function inheriting(choice: Choice, others: Iterable<Choice>): Choice {
  const ids = choice.hunks.map(({ id }) => id);
  const earlier = [...others].filter(({ hunks, proposal }) => proposal !== choice.proposal && ids.every((id) => hunks.some((hunk) => hunk.id === id)));
  const kept = new Set(ids.filter((id) => earlier.some((other) => other.kept.has(id))));
  return kept.size === ids.length ? choice : { ...choice, kept };
}

/** Whether both leave out the same hunks. */
export function leavesOutAsMuch(one: Choice, other: Choice): boolean {
  return one.leftOut.size === other.leftOut.size && [...one.leftOut].every((id) => other.leftOut.has(id));
}

/** Whether every hunk is kept or left out. */
export function isDecided({ hunks, kept, leftOut }: Choice): boolean {
  return hunks.every(({ id }) => kept.has(id) || leftOut.has(id));
}

/** Whether all hunks only work together. */
export function isOneChoice(choice: Choice): boolean {
  const [first] = choice.hunks;
  return first !== undefined && together(choice, first.id).length === choice.hunks.length;
}

function having(ids: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> {
  return new Set([...ids, ...more]);
}

function without(ids: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !gone.includes(id)));
}

/** Ids of the hunks that are decided with this one, itself among them. */
export function together({ ties }: Choice, hunk: string): readonly string[] {
  return ties.find((ids) => ids.includes(hunk)) ?? [hunk];
}

/** `hunks 1 and 2 only work together`; undefined for a hunk that stands alone. */
export function tied(choice: Choice, hunk: string): string | undefined {
  const ids = together(choice, hunk);
  const numbers = choice.hunks.flatMap(({ id }, index) => (ids.includes(id) ? [index + 1] : []));
  if (numbers.length < 2) return undefined;
  return `hunks ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)} only work together`;
}

export function taken(choice: Choice): readonly HunkPlace[] {
  return choice.hunks.filter((hunk) => !choice.leftOut.has(hunk.id));
}

/** What an accept sends; without `hunk_ids` the whole proposal is meant, and undefined means that nothing is left of it. */
export function acceptance(choice: Choice): { proposal_id: string; hunk_ids?: readonly string[] } | undefined {
  const hunks = taken(choice);
  if (hunks.length === 0) return undefined;
  const all = hunks.length === choice.hunks.length;
  return { proposal_id: choice.proposal, ...(all ? {} : { hunk_ids: hunks.map((hunk) => hunk.id) }) };
}

/** `2 of 3 hunks`, and what is missing: `hunk 2`; undefined where all are taken. */
export function partly(choice: Choice): { readonly taken: string; readonly leftOut: string } | undefined {
  const count = choice.hunks.length;
  const numbers = choice.hunks.flatMap((hunk, index) => (choice.leftOut.has(hunk.id) ? [index + 1] : []));
  if (numbers.length === 0) return undefined;
  return { taken: `${count - numbers.length} of ${count} hunks`, leftOut: `${numbers.length === 1 ? "hunk" : "hunks"} ${numbers.join(", ")}` };
}

/** `Hunk 2 of 3 · line 14 · 3 lines become 5`; the line is the proposal's, as typing does not move that. */
export function describe(hunks: readonly HunkPlace[], hunk: HunkPlace): string {
  return `${numbered(hunks, hunk.id)} · ${place(hunk)}`;
}

/**
 * What stands over a thread, whose comment says which hunk it is: `line 14 · 3 lines become 5`, or `Left out of Accept · line 14 · …`;
 * of a change of several files also where the rest of it is.
 */
export function heading(choice: Choice, hunk: HunkPlace): string {
  const shown = choice.leftOut.has(hunk.id) ? `Left out of Accept · ${place(hunk)}` : place(hunk);
  const others = new Set([...choice.files.values()].filter((name) => name !== choice.files.get(hunk.id)));
  return others.size === 0 ? shown : `${shown} · more in ${[...others].join(", ")}`;
}

function place(hunk: HunkPlace): string {
  return `line ${hunk.after_line} · ${change(hunk)}`;
}

/** `Hunk 2 of 3`. */
export function numbered(hunks: readonly HunkPlace[], hunk: string): string {
  return `Hunk ${hunks.findIndex((other) => other.id === hunk) + 1} of ${hunks.length}`;
}

/** `3 lines become 5`. */
export function change(hunk: HunkPlace): string {
  if (hunk.before_count === 0) return `${counted(hunk.after_count)} inserted`;
  if (hunk.after_count === 0) return `${counted(hunk.before_count)} removed`;
  if (hunk.after_count === hunk.before_count) return `${counted(hunk.after_count)} changed`;
  return `${counted(hunk.before_count)} ${hunk.before_count === 1 ? "becomes" : "become"} ${hunk.after_count}`;
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

/** 0-based first and last line of the hunk in the proposal's text; a removal is shown on the line that follows it. */
export function afterLines(hunk: HunkPlace): { readonly first: number; readonly last: number } {
  const first = hunk.after_line - 1;
  return { first, last: first + Math.max(hunk.after_count, 1) - 1 };
}

export interface Address {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
}

/** The id in `kernelopt:/proposal/ID/NAME` or, of several files, `kernelopt:/NAME?ID`; undefined for any other address. */
export function proposalOf({ scheme, path, query }: Address): string | undefined {
  if (scheme !== "kernelopt") return undefined;
  return query === "" ? /^\/proposal\/([^/.]+)/.exec(path)?.[1] : query.split("/")[0];
}

/** What the tab of a change of several files is called: `a.cuh, main.cu ↔ ≈1.60x predicted, …`, numbered where another is called so. */
export function changesTitle(names: readonly string[], claim: string, taken: readonly string[]): string {
  const title = `${names.join(", ")} ↔ ${claim}`;
  let unique = title;
  for (let number = 2; taken.includes(unique); number += 1) unique = `${title} · ${number}`;
  return unique;
}

/** Whether a tab's label is such a title: VS Code adds ` (2 files)`. */
export function isCalled(label: string, title: string): boolean {
  return label === title || label.startsWith(`${title} (`);
}
