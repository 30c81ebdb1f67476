/** HTML that cannot be broken by what stands in it: every value is escaped, but for markup that was made here. */

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Value = Markup | string | number | readonly Value[] | null | undefined | false;

/** `html\`<p>${name}</p>\``; nothing is written for null, undefined and false. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, index) => part + (index < values.length ? written(values[index]) : "")).join(""));
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function written(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  return typeof value === "string" || typeof value === "number" ? escaped(String(value)) : value.map(written).join("");
}
