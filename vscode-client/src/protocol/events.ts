/** The events of a job, as `assistant/model/events.py` names them; a test compares the names. Only fields that are read here. */

export const EVENT_NAMES = [
  "job_started",
  "stage_started",
  "stage_ended",
  "message",
  "diagnostics",
  "kernel",
  "machine_code",
  "profile",
  "timeline",
  "profile_summary",
  "launch_facts",
  "operators",
  "operator_timed",
  "kernel_declined",
  "kernel_written",
  "check",
  "findings",
  "plan",
  "candidate",
  "setting",
  "tuning",
  "model_call",
  "budget",
  "comparison",
  "proposal",
  "decision",
  "pair_turn",
  "job_ended",
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

export interface KernelOptEvent {
  readonly event: EventName;
  readonly schema: number;
  readonly job: string | null;
  /** Of `proposal`. */
  readonly id?: string;
}
