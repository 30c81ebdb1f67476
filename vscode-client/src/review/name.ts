/** What the tab of an explanation is called. Pure. */

/** `Proposal: ≈1.78x predicted` of `### ≈1.78x predicted, right in 10 of 10 cases: Store whole rows`. */
export function explanationName(markdown: string): string {
  const [, title] = /^#+ ([^:,\n]+)[:,] /.exec(markdown) ?? [];
  return title === undefined ? "Proposal" : `Proposal: ${title.replaceAll("\\", "").trim()}`;
}
