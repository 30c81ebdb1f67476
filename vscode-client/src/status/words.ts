/** What the status bar says of the server: a short text, a long one, and whether it asks for attention. Values only. */

import type { Spent } from "../protocol/answers.ts";
import type { Picture } from "../server/asked.ts";
import { explain } from "../server/failures.ts";
import type { ServerState } from "../server/state.ts";

export interface StatusWords {
  readonly text: string;
  /** One fact a line, in words. */
  readonly detail: readonly string[];
  readonly isProblem: boolean;
}

const ICON = "$(circuit-board)";
/** `CPU emulator (counting rules of sm_90)`: the rest is in the tooltip. */
const DEVICE_DETAIL = / \(.*\)$/;

export function statusWords(state: ServerState, picture: Picture): StatusWords {
  switch (state.kind) {
    case "idle":
      return calm(`${ICON} kernelopt`, ["The language server starts with the first CUDA source."]);
    case "installing":
      return calm("$(sync~spin) kernelopt: installing", ["The language server is being installed into its private environment."]);
    case "starting":
      return calm("$(sync~spin) kernelopt: starting", ["The language server is starting."]);
    case "stopped":
      return calm("$(debug-disconnect) kernelopt: stopped", ["The language server is not running."]);
    case "failed":
      if (explain(state.failure).isQuestion) return calm("$(cloud-download) kernelopt: install", [explain(state.failure).message]);
      return { text: "$(warning) kernelopt: no server", detail: [explain(state.failure).message], isProblem: true };
    case "running":
      return running(state.version, picture);
    default:
      return state satisfies never;
  }
}

function running(version: string, { jobs, status, proposals }: Picture): StatusWords {
  const moving = jobs.filter((job) => !job.waits_for); // the others wait for a person, or for a program of theirs
  const asked = moving.filter((job) => !job.is_background).length;
  const waiting = jobs.filter((job) => !job.is_running).length;
  const parts = [
    status?.device?.replace(DEVICE_DETAIL, ""),
    refusedWords(status?.refused ?? []),
    moving.length > 0 ? `${asked > 0 ? asked : moving.length} ${asked > 0 ? "running" : "in background"}` : undefined,
    proposals.length > 0 ? counted(proposals.length, "proposal") : undefined,
  ].filter((part) => part !== undefined);
  const detail = [
    `Server ${version}`,
    ...(status?.refused ?? []),
    status?.device ? `Device: ${status.device}` : undefined,
    status?.rung ? `Counters and times: ${status.rung}` : undefined,
    `Queue: ${counted(jobs.length, "job")}${waiting > 0 ? `, ${waiting} of them waiting` : ""}`,
    status?.budget ? `Last job that asked a model: ${spentWords(status.budget)}` : undefined,
    status?.is_trusted === false ? "Restricted Mode: sources are only read, nothing is built or run." : undefined,
    status?.problem ? `Settings: ${status.problem}` : undefined,
  ].filter((line) => line !== undefined);
  const isProblem = Boolean(status?.problem);
  const icon = isProblem ? "$(warning)" : moving.length > 0 ? "$(sync~spin)" : status?.is_trusted === false ? "$(shield)" : ICON;
  return { text: `${icon} ${["kernelopt", ...parts].join(" · ")}`, detail, isProblem };
}

/** `stencil.cu does not compile +1`: what is wrong, and where, is in the tooltip. */
function refusedWords([first, ...others]: readonly string[]): string | undefined {
  return first === undefined ? undefined : `${first.split(": ", 1)[0]}${others.length === 0 ? "" : ` +${others.length}`}`;
}

/** `$0.031 of $0.05, 12,300 tokens in 4 calls`. */
export function spentWords({ spent, caps }: Spent): string {
  const money = spent.money_usd === null ? "price unknown" : of(dollars(spent.money_usd), caps.money_usd === null ? undefined : dollars(caps.money_usd));
  const count = spent.input_token_count + spent.output_token_count;
  const tokens = of(count.toLocaleString("en-US"), caps.token_count?.toLocaleString("en-US"));
  return `${money}, ${tokens} tokens in ${counted(spent.call_count, "call")}`;
}

function of(amount: string, cap: string | undefined): string {
  return cap === undefined ? amount : `${amount} of ${cap}`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(3)}`;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function calm(text: string, detail: readonly string[]): StatusWords {
  return { text, detail, isProblem: false };
}
