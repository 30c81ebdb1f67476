/** What the server knows of everything that is open, asked once. What cannot be answered stays as it was: an error is no empty list. */

import type { Decision, Job, Kernel, PairSession, Proposal, Status } from "../protocol/answers.ts";

export interface Picture {
  readonly kernels: readonly Kernel[];
  readonly proposals: readonly Proposal[];
  readonly decisions: readonly Decision[];
  readonly pairs: readonly PairSession[];
  readonly jobs: readonly Job[];
  /** Undefined while no server runs. */
  readonly status: Status | undefined;
  /** Whether the server has just said what proposals are open; else nothing follows from what is missing. */
  readonly isAnswered: boolean;
}

export const NOTHING: Picture = { kernels: [], proposals: [], decisions: [], pairs: [], jobs: [], status: undefined, isAnswered: false };

/** `ask` sends one request, `fail` is told what was not answered. */
export async function asked(
  ask: <Answer>(method: string, params: object) => Promise<Answer>,
  before: Picture,
  fail: (what: string, error: unknown) => void,
): Promise<Picture> {
  const list = async <Item>(what: string): Promise<readonly Item[] | undefined> => {
    try {
      return await ask<readonly Item[]>("kernelopt/list", { what });
    } catch (error) {
      fail(`list of ${what}`, error);
      return undefined;
    }
  };
  const [kernels, proposals, decisions, pairs, status] = await Promise.all([
    list<Kernel>("kernels"),
    list<Proposal>("proposals"),
    list<Decision>("decisions"),
    list<PairSession>("pair"),
    ask<Status>("kernelopt/status", {}).catch(() => undefined),
  ]);
  return {
    kernels: kernels ?? before.kernels,
    proposals: proposals ?? before.proposals,
    decisions: decisions ?? before.decisions,
    pairs: pairs ?? before.pairs,
    jobs: status?.jobs ?? [],
    status,
    isAnswered: proposals !== undefined,
  };
}
