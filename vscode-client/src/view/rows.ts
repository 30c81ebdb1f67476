/** The rows of the kernelopt view, from what the server knows. Values only: each row says all in words, none by its icon alone. */

import type { Decision, Job, Kernel, PairSession, PairVersion, Proposal } from "../protocol/answers.ts";
import type { Picture } from "../server/asked.ts";

export interface Row {
  /** Stays the same while it is the same thing: the tree keeps what is open. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon: string;
  /** What menus know it by. */
  readonly kind: string;
  readonly children: readonly Row[];
  /** What Enter does. */
  readonly command?: { readonly id: string; readonly title: string; readonly argument: object };
  /** What menu entries hand to the server. */
  readonly argument?: object;
}

const SHOWN_DECISIONS = 20;

export function rows(picture: Picture): readonly Row[] {
  const sections = [
    section("proposals", "Proposals", "lightbulb", picture.proposals.map(proposalRow)),
    section("kernels", "Kernels", "circuit-board", picture.kernels.map((kernel) => kernelRow(kernel, named(picture.kernels, kernel.name) > 1))),
    section("jobs", "Jobs", "sync", picture.jobs.map(jobRow)),
    section("pairs", "Pair sessions", "organization", picture.pairs.map(pairRow)),
    section("decisions", "Decisions", "history", picture.decisions.slice(0, SHOWN_DECISIONS).map(decisionRow)),
  ];
  return sections.filter((row) => row.children.length > 0);
}

/** The sections that say something else now, by id; undefined where other sections are shown. The rows of the rest stay under a click. */
export function changedSections(before: readonly Row[], after: readonly Row[]): readonly string[] | undefined {
  const ids = after.map(({ id }) => id);
  if (ids.join() !== before.map(({ id }) => id).join()) return undefined;
  return ids.filter((_, index) => JSON.stringify(before[index]) !== JSON.stringify(after[index]));
}

/** What a person started and a restart of the server ended, in one sentence; undefined where that is nothing. */
export function endedByRestart(jobs: readonly Job[]): string | undefined {
  const ended = jobs.filter((job) => !job.is_background).map((job) => jobRow(job).label);
  return ended.length === 0 ? undefined : `The restart ended: ${ended.join(", ")}. Nothing came of it; start it again if you want it.`;
}

function section(id: string, label: string, icon: string, children: readonly Row[]): Row {
  return { id, label, description: String(children.length), icon, kind: "section", children: told(children) };
}

/** Ids of their own for kernels of one signature (under `#ifdef` and `#else`): VS Code would show one row twice. */
function told(children: readonly Row[]): readonly Row[] {
  const counts = new Map<string, number>();
  return children.map((row) => {
    const count = (counts.get(row.id) ?? 0) + 1;
    counts.set(row.id, count);
    return count === 1 ? row : { ...row, id: `${row.id}~${count}` };
  });
}

function proposalRow(proposal: Proposal): Row {
  const argument = { proposal_id: proposal.id };
  return {
    id: proposal.id,
    label: proposal.title,
    description: fileName(proposal.uri),
    tooltip: [proposal.title, proposal.summary, ...proposal.labels].join("\n"),
    icon: "lightbulb",
    kind: "proposal",
    children: [],
    command: { id: "kernelopt.proposal.preview", title: "Preview", argument },
    argument,
  };
}

function named(kernels: readonly Kernel[], name: string): number {
  return kernels.filter((kernel) => kernel.name === name).length;
}

/** The answer first, as a narrow side bar cuts the end off; `hasTwin`: the place first, which alone tells it from one of the same name. */
function kernelRow(kernel: Kernel, hasTwin: boolean): Row {
  const place = `${fileName(kernel.uri)}:${kernel.document_line + 1}`;
  const argument = { uri: kernel.uri, kernel: kernel.kernel, ...(kernel.source === undefined ? {} : { source: kernel.source }) };
  return {
    id: `${kernel.source ?? kernel.uri}#${kernel.kernel}`,
    label: kernel.name,
    description: hasTwin ? `${place} · ${kernel.headline}` : `${kernel.headline} · ${place}`,
    tooltip: `${kernel.kernel}\n${place}\n${kernel.headline.replaceAll(" · ", "\n")}`,
    icon: "symbol-function",
    kind: "kernel",
    children: [],
    command: { id: "kernelopt.ui.goTo", title: "Go to Kernel", argument: { uri: kernel.uri, line: kernel.document_line } },
    argument,
  };
}

/** The words that lenses use for what a job does. */
const VERBS: Readonly<Record<string, string>> = {
  inspect: "Compile",
  check: "Verify",
  profile: "Profile",
  optimize: "Optimize",
  judge: "Judge your edit of",
  rebase: "Judge the proposal on the changed",
  pair_edit: "Answer your edit of",
  pair_suggest: "Suggest for",
};

function jobRow(job: Job): Row {
  const waits = job.waits_for ? `waiting for ${job.waits_for}` : "waiting";
  const state = [job.is_running ? "running" : waits, ...(job.is_background ? ["in the background"] : [])].join(", ");
  const what = job.kernel === null ? fileName(job.uri) : job.kernel.replace(/\(.*$/s, "");
  return {
    id: job.job_id,
    label: `${VERBS[job.command] ?? job.command} ${what}`,
    description: job.kernel === null ? state : `${fileName(job.uri)}, ${state}`,
    tooltip: `${job.kernel ?? what} in ${fileName(job.uri)}: ${state}`,
    icon: job.is_running ? "sync~spin" : "clock",
    kind: "job",
    children: [],
    ...(job.waits_for ? { command: { id: "kernelopt.ui.answerConsent", title: "Answer", argument: {} } } : {}),
    argument: { job_id: job.job_id },
  };
}

function pairRow(pair: PairSession): Row {
  const argument = { uri: pair.uri, kernel: pair.kernel };
  const best = pair.versions.find((version) => version.is_best);
  const wishes = [...(pair.goal === null ? [] : [`Goal: ${pair.goal}`]), ...pair.constraints.map((told) => `Keep to: ${told}`)];
  return {
    id: pair.session_id,
    label: pair.kernel,
    description: best === undefined ? fileName(pair.uri) : `best so far: ${best.name} · ${fileName(pair.uri)}`,
    tooltip: wishes.length === 0 ? "No goal, no constraints" : wishes.join("\n"),
    icon: "organization",
    kind: "pair",
    children: pair.versions.map((version) => versionRow(pair, version)),
    command: { id: "kernelopt.pair.why", title: "Show the Session", argument },
    argument,
  };
}

function versionRow(pair: PairSession, version: PairVersion): Row {
  const marks = [...(version.is_best ? ["best so far"] : []), ...(version.is_current ? ["in the editor"] : [])];
  return {
    id: `${pair.session_id}/${version.number}`,
    label: marks.length === 0 ? version.name : `${version.name} (${marks.join(", ")})`,
    description: version.headline,
    tooltip: version.headline,
    icon: version.is_best ? "star-full" : "git-commit",
    kind: version.is_current ? "version.current" : "version",
    children: [],
    argument: { uri: pair.uri, kernel: pair.kernel, version: version.number },
  };
}

function decisionRow(decision: Decision): Row {
  const argument = { proposal_id: decision.proposal };
  return {
    id: `${decision.proposal}@${decision.decided_ms}`,
    label: decision.headline,
    description: `${decision.kernel}, ${fileName(decision.uri)}`,
    tooltip: `${decision.headline}\n${new Date(decision.decided_ms).toLocaleString()}, by ${decision.decided_by}`,
    icon: decision.kind === "rejected" ? "close" : decision.kind === "undone" || decision.kind === "reopened" ? "discard" : "check",
    kind: decision.kind === "rejected" && decision.state === "rejected" ? "decision.rejected" : "decision",
    children: [],
    command: { id: "kernelopt.proposal.explain", title: "Explain", argument },
    argument,
  };
}

function fileName(uri: string): string {
  return decodeURIComponent(uri.split("#")[0]?.split("/").at(-1) ?? uri);
}
