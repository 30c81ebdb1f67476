// The rows of the history page, and their words. Pure.

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly file: string | null;
  readonly owner: string;
  readonly started_ms: number;
  readonly ended_ms: number | null;
  readonly exit_code: number | null;
  readonly is_running: boolean;
  readonly is_cancel_requested: boolean;
}

export interface Attempt {
  readonly id: string;
  readonly file: string | null;
  readonly kernel: string;
  readonly technique: string;
  readonly outcome: string;
  readonly reason: string;
  readonly tried: string;
  readonly ratio: number | null;
  readonly speed: string | null;
  readonly device: string;
  readonly model: string | null;
  readonly created_ms: number;
}

// How a technique did on kernels that are alike; every number in words (`assistant/editor/learned_page.py`).
export interface Technique {
  readonly technique: string;
  readonly kernels: string;
  readonly right: string;
  readonly speed: string;
  readonly how: string;
  readonly people: string;
  readonly imported: string;
}

export interface Learned {
  readonly states: readonly { readonly title: string; readonly device: string; readonly techniques: readonly Technique[] }[];
  readonly sequences: readonly string[];
  readonly lessons: readonly { readonly technique: string; readonly statements: readonly string[] }[];
}

export interface Decision {
  readonly proposal: string;
  readonly file: string | null;
  readonly kernel: string;
  readonly kind: string;
  readonly reason_code: string | null;
  readonly reason: string | null;
  readonly decided_ms: number;
  readonly decided_by: string;
}

export interface Proposal {
  readonly id: string;
  readonly file: string | null;
  readonly is_file: boolean;
  readonly kernel: string;
  readonly techniques: readonly string[];
  readonly summary: string;
  readonly state: string;
  readonly outcome: string;
  readonly speed_outcome: string;
  readonly ratio: number;
  readonly method: string;
  readonly created_ms: number;
}

export interface ShownProposal extends Proposal {
  readonly diff: string;
  readonly labels: readonly string[];
  readonly explanation: string;
  readonly decisions: readonly Decision[];
}

// `transpose(float *, int)` as `transpose`.
export function shortName(kernel: string): string {
  return kernel.split("(", 1)[0] ?? kernel;
}

export function speed(outcome: string | null, ratio: number | null): string {
  return outcome === null || ratio === null ? "" : `${outcome} ${ratio.toFixed(2)}×`;
}

export function stateOfJob(job: Job): string {
  if (job.is_running) return job.is_cancel_requested ? "ending" : "running";
  return job.ended_ms === null ? "broke off" : `ended, exit ${job.exit_code ?? "unknown"}`;
}

export function when(moment_ms: number, locale?: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  return new Intl.DateTimeFormat(locale, { dateStyle: "short", timeStyle: "medium", ...zone }).format(moment_ms);
}

export function words(decision: Decision): string {
  const why = decision.reason ?? decision.reason_code;
  return `${decision.kind.replaceAll("_", " ")} by ${decision.decided_by}${why === null ? "" : `: ${why}`}`;
}

// A cell each: the state, then what is known of the technique there.
export function learnedCells(learned: Learned): readonly (readonly string[])[] {
  return learned.states.flatMap(({ title, device, techniques }) =>
    techniques.map((part) => [
      `${title} (${device})`, part.technique, part.kernels, part.right, part.speed, [part.how, part.imported].filter((words) => words !== "").join(", "), part.people,
    ]),
  );
}

// What a person may do with it from this page; a cell's text is the notebook's.
export function possible(proposal: Proposal): readonly ("accept" | "reject" | "undo")[] {
  if (proposal.state === "open" || proposal.state === "undone") return proposal.is_file ? ["accept", "reject"] : ["reject"];
  return proposal.state === "rejected" || (proposal.state === "accepted" && proposal.is_file) ? ["undo"] : [];
}

export type DiffLine = { readonly kind: "added" | "removed" | "place" | "kept"; readonly text: string };

// The lines of a unified diff, without its two file names.
export function diffLines(diff: string): readonly DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const begin = lines[0]?.startsWith("--- ") === true ? 2 : 0;
  return lines.slice(begin).map((text) => {
    const mark = text[0];
    return { kind: mark === "+" ? "added" : mark === "-" ? "removed" : mark === "@" ? "place" : "kept", text };
  });
}
