/** What can be verified, as the tree that the Test Explorer shows: kernel, then what its edits were judged on, by shape and seed. Pure. */

import type { Kernel } from "../protocol/answers.ts";
import type { TestPart } from "../protocol/report.ts";

/** An item of `kernelopt/list {what: "cases"}`. */
export interface Verified {
  readonly uri: string;
  readonly kernel: string;
  readonly source?: string;
  /** Null: an edit of a person's. */
  readonly proposal_id: string | null;
  readonly state: string;
  readonly title: string;
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly tests: readonly TestPart[];
}

/** One kernel of a document, or several of one signature (under `#ifdef` and `#else`): a run cannot tell those apart. */
export interface Suite {
  /** The first of them. */
  readonly kernel: Kernel;
  /** Where they stand, 0-based. */
  readonly lines: readonly number[];
  readonly groups: readonly Group[];
}

/** One version of the kernel that is held against the original. */
export interface Group {
  readonly id: string;
  readonly title: string;
  readonly proposal: string | undefined;
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly tests: readonly TestPart[];
}

/** Id of the group that an edit of a person's is. */
export const EDIT = "edit";
const SHOWN_STATES: ReadonlySet<string> = new Set(["open", "undone", "judged"]);

/** Decided proposals are history: they are left out. */
export function suites(kernels: readonly Kernel[], verified: readonly Verified[]): readonly Suite[] {
  const first = kernels.filter((kernel) => kernels.find((other) => isSame(kernel, other)) === kernel);
  return first.map((kernel) => ({
    kernel,
    lines: kernels.filter((other) => isSame(kernel, other)).map(({ document_line }) => document_line),
    groups: uniqueGroups(verified.filter((item) => isOf(item, kernel) && SHOWN_STATES.has(item.state)).map(group)),
  }));
}

/** `k`, or `k (lines 5 and 12)`: whichever of the two is compiled is what is verified. */
export function suiteLabel({ kernel, lines }: Suite): string {
  if (lines.length === 1) return kernel.name;
  const numbers = lines.map((line) => String(line + 1));
  return `${kernel.name} (lines ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)})`;
}

export function group(item: Verified): Group {
  const { title, verdict, reasons, tests } = item;
  return { id: item.proposal_id ?? EDIT, title, proposal: item.proposal_id ?? undefined, verdict, reasons, tests };
}

export function kernelId(kernel: Kernel): string {
  return `${kernel.source ?? ""} ${kernel.kernel}`;
}

/** An edit is told apart by its kernel, which holds it; a proposal stands next to the kernels of its file. */
export function groupId(kernel: Kernel, made: Group): string {
  return made.proposal === undefined ? EDIT : `${kernelId(kernel)} ${made.id}`;
}

/** What memory has of a proposal is said here, not as a result: no test was run for it. */
export function groupLabel(kernel: Kernel, { title, verdict, proposal }: Group): string {
  if (proposal === undefined) return title;
  return `${kernel.name}, proposal: ${title}${title.includes(verdict) ? "" : `, ${verdict}`}`;
}

export function byShape(tests: readonly TestPart[]): ReadonlyMap<string, readonly TestPart[]> {
  const shapes = new Map<string, TestPart[]>();
  for (const item of tests) shapes.set(item.shape, [...(shapes.get(item.shape) ?? []), item]);
  return shapes;
}

/** What tells a case from the others of its group. */
export function caseId({ kind, shape, seed, scale }: TestPart): string {
  return JSON.stringify([kind, shape, seed, scale]);
}

/** `resampled, seed 30562796, values × 0.125`. */
export function caseLabel({ kind, seed, scale }: TestPart): string {
  const values = kind === "recorded" ? "" : seed === null ? ", seed not known" : `, seed ${seed}`;
  return `${kind}${values}${scale === 1 ? "" : `, values × ${scale}`}`;
}

/** What a case is verified again by; undefined where its seed is not known, so that only all can be. */
export interface Again {
  readonly seeds: readonly number[];
  readonly cases: readonly CaseKey[];
}

interface CaseKey {
  readonly kind: string;
  readonly shape: string;
  readonly seed: number;
  readonly scale: number;
}

/** `chosen` of a group, with the seeds of the whole verification in their order; undefined: verify all, on fresh values. */
export function again(tests: readonly TestPart[], chosen: readonly TestPart[]): Again | undefined {
  const cases = chosen.flatMap(({ kind, shape, seed, scale }) => (seed === null ? [] : [{ kind, shape, seed, scale }]));
  const seeds = [...new Set(tests.flatMap(({ kind, seed }) => (seed === null || kind === "recorded" ? [] : [seed])))];
  if (cases.length < chosen.length || cases.length === 0 || seeds.length === 0) return undefined;
  return chosen.length === tests.length ? undefined : { seeds, cases };
}

export type Result = { readonly kind: "passed" } | { readonly kind: "failed" | "open"; readonly message: string };

/** What needs a person's decision has neither passed nor failed. */
export function result(verdict: string, detail: string): Result {
  if (verdict === "PASS") return { kind: "passed" };
  return { kind: verdict === "FAIL" ? "failed" : "open", message: detail === "" ? verdict : `${verdict}: ${detail}` };
}

function isSame(kernel: Kernel, other: Kernel): boolean {
  return kernel.uri === other.uri && kernelId(kernel) === kernelId(other);
}

/** What is told of each of several kernels of one signature is the same. */
function uniqueGroups(groups: readonly Group[]): readonly Group[] {
  return groups.filter(({ id }, index) => groups.findIndex((other) => other.id === id) === index);
}

function isOf(item: Verified, kernel: Kernel): boolean {
  return item.uri === kernel.uri && item.kernel === kernel.kernel && item.source === kernel.source;
}
