/** What the tab of an explanation is called. Pure. */

/** `Proposal: staged-store` of `### P01…: staged-store, PREDICTED 1.78x, PASS`; an id of 26 letters tells a person nothing. */
export function explanationName(markdown: string): string {
  const [, title] = /^#+ \S+: ([^,\n]+)/.exec(markdown) ?? [];
  return title === undefined ? "Proposal" : `Proposal: ${title.replaceAll("\\", "").trim()}`;
}
