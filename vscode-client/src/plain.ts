/** Messages hold names and texts of others, and VS Code makes a link, even one that runs a command, of `[text](command:…)` in any of them. */

/** The text with a space where a link would begin. Every message that is not our own words alone goes through here. */
export function plain(text: string): string {
  return text.replaceAll("](", "] (");
}

/** The text as Markdown that shows it literally and wraps, but for code in backticks, which is shown as code. */
export function literal(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`*_{}[\]()#+\-!~<>|]/g, "\\$&")))
    .join("");
}
