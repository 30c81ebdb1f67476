/** What the server answers (docs/reference/language-server.md). Only fields that are read here. */

/** Where a hunk is; lines count from 1, and a count of 0 means before that line. */
export interface HunkPlace {
  readonly id: string;
  readonly before_line: number;
  readonly before_count: number;
  readonly after_line: number;
  readonly after_count: number;
}

/** What a proposal does to one file. */
export interface FilePreview {
  /** From the folder that holds all its files. */
  readonly name: string;
  readonly document_uri: string;
  /** The text that the proposal was made for. */
  readonly before_uri: string;
  readonly proposal_uri: string;
  readonly hunks: readonly HunkPlace[];
}

/** `kernelopt.proposal.preview`. */
export interface Preview {
  readonly proposal_id: string;
  readonly files: readonly FilePreview[];
  /** Gain and verdict, what the edit does, for what it holds; a line each. */
  readonly about: readonly string[];
  /** `Accept`, or with what a person agrees to: `Accept with fewer digits`. */
  readonly accept_title: string;
  /** Ids of hunks, by what can be decided apart: those in one list only work together. */
  readonly choices: readonly (readonly string[])[];
  /** What else was tried, and was not offered. */
  readonly others: readonly OtherTried[];
}

/** A candidate that was not offered. */
export interface OtherTried {
  /** `loop-unrolling: not faster`. */
  readonly title: string;
  readonly why: string;
  /** Why it was tried when it was: `1 of 3: expected 1.92x …`. */
  readonly tried: string;
  readonly before_uri: string;
  readonly after_uri: string;
}

/** `kernelopt.proposal.accept`: `moved` where the text has changed and the change is judged again. */
export interface Accepted {
  readonly proposal_id: string;
  readonly outcome: "applying" | "moved";
}

/** `kernelopt.proposal.explain`, `kernelopt.kernel.explain`, `kernelopt.pair.why|start|stop`; `uri` is the document that holds it, if any. */
export interface Explained {
  readonly markdown: string;
  readonly uri?: string;
}

/** Of `kernelopt/list {what: "proposals"}`. */
export interface Proposal {
  readonly id: string;
  readonly title: string;
  /** As in `Preview`. */
  readonly accept_title: string;
  readonly uri: string;
  readonly kernel: string;
  readonly file: string;
  readonly summary: string;
  readonly techniques: readonly string[];
  readonly hunk_ids: readonly string[];
  readonly labels: readonly string[];
  readonly model: string | null;
}

/** Of `kernelopt/list {what: "kernels"}`: what a command on it takes, and what is known of it. */
export interface Kernel {
  readonly uri: string;
  readonly kernel: string;
  readonly source?: string;
  readonly name: string;
  readonly headline: string;
  /** 0-based. */
  readonly document_line: number;
}

/** Of `kernelopt/list {what: "programs"}`: one that could run the kernels of a document. */
export interface Program {
  readonly uri: string;
  readonly name: string;
  readonly why: string;
  readonly units: readonly string[];
  readonly is_used: boolean;
}

/** A build that could say more of what runs a file's kernels. */
export interface Build {
  readonly title: string;
  /** Of the server; it asks before anything runs. */
  readonly command: string;
  readonly arguments: object;
}

/** A document, and a kernel in it: what commands on a kernel take. */
export interface KernelArguments {
  readonly uri: string;
  readonly kernel?: string;
  readonly source?: string;
}

/** Of `kernelopt/status`. */
export interface Job {
  readonly job_id: string;
  readonly uri: string;
  readonly command: string;
  readonly kernel: string | null;
  readonly is_background: boolean;
  /** False: it waits its turn. */
  readonly is_running: boolean;
  /** Why it does not start though it could; null where it only waits its turn. */
  readonly waits_for?: string | null;
}

/** `kernelopt/status`. */
export interface Status {
  readonly jobs: readonly Job[];
  readonly is_trusted: boolean | null;
  /** Why some settings do not count. */
  readonly problem: string | null;
  /** Where jobs run, and how well this machine counts and times; null before the first job. */
  readonly device: string | null;
  readonly rung: string | null;
  /** What the last job that asked a model has spent; null where none did. */
  readonly budget: Spent | null;
  /** Of each open source that compilers refuse: `stencil.cu does not compile: line 9: …`. */
  readonly refused: readonly string[];
}

/** The event `budget`, as far as it is shown. */
export interface Spent {
  readonly spent: {
    /** Null where a model without a known price took part. */
    readonly money_usd: number | null;
    readonly input_token_count: number;
    readonly output_token_count: number;
    readonly call_count: number;
  };
  readonly caps: { readonly money_usd: number | null; readonly token_count: number | null };
}

/** Of `kernelopt/list {what: "decisions"}`, newest first. */
export interface Decision {
  readonly proposal: string;
  readonly headline: string;
  readonly kind: string;
  /** Of the proposal, as it is now. */
  readonly state: string;
  readonly uri: string;
  readonly kernel: string;
  readonly decided_by: string;
  /** Unix time. */
  readonly decided_ms: number;
}

/** Of `kernelopt/list {what: "pair"}`: an open session, and every version that it judged, the baseline first. */
export interface PairSession {
  readonly uri: string;
  readonly session_id: string;
  readonly kernel: string;
  readonly goal: string | null;
  readonly constraints: readonly string[];
  readonly versions: readonly PairVersion[];
}

export interface PairVersion {
  readonly number: number;
  readonly name: string;
  readonly headline: string;
  readonly is_best: boolean;
  readonly is_current: boolean;
}
