/** What the tab of an explanation is called. Pure. */

/** `Proposal: staged-store` of `### staged-store: ≈1.78x predicted, right in 10 of 10 cases`. */
export function explanationName(markdown: string): string {
  const [, title] = /^#+ ([^:\n]+): /.exec(markdown) ?? [];
  return title === undefined ? "Proposal" : `Proposal: ${title.replaceAll("\\", "").trim()}`;
}
