/** Why a proposal is rejected: the codes of `assistant/model/proposal.py` (a test compares), and how they are asked. */

export const REASONS = [
  { code: "readability", label: "Harder to read", detail: "The gain is not worth what the code becomes" },
  { code: "precision", label: "Changes results", detail: "Rounding or range that this program cannot accept" },
  { code: "portability", label: "Less portable", detail: "It ties the code to an architecture or a toolkit" },
  { code: "not-worth-it", label: "Gain too small", detail: "Right, but not worth a change" },
  { code: "wrong", label: "Wrong", detail: "It breaks something that was not tested" },
  { code: "style", label: "Style", detail: "Right, but not how this code is written" },
  { code: "other", label: "Other", detail: "Say it in words" },
] as const;

export type ReasonCode = (typeof REASONS)[number]["code"];

/** What a reject sends: nothing that was left empty. */
export function rejection(proposal: string, code: ReasonCode | undefined, words: string): Record<string, string> {
  const text = words.trim();
  return { proposal_id: proposal, ...(code === undefined ? {} : { reason_code: code }), ...(text === "" ? {} : { reason: text }) };
}
