/** What stands next to a hot line, and how strong its shade is. Pure: counters in, marks out. */

/** An item of `kernelopt/lines`: an access, or a reason to stall; counters that do not apply are absent. */
export interface CountedLine {
  /** 0-based. */
  readonly line: number;
  readonly kernel: string;
  readonly op: string;
  readonly requests?: number;
  readonly sectors?: number | null;
  readonly ideal_sectors?: number | null;
  readonly wavefronts?: number | null;
  readonly ideal_wavefronts?: number | null;
  /** Of a stall. */
  readonly reason?: string;
  readonly samples?: number;
  readonly grade: string;
  readonly method: string;
  /** 0..`STEPS`. */
  readonly heat_step: number;
  /** The number that stands next to the shade. */
  readonly heat: string;
}

export interface Mark {
  readonly line: number;
  readonly step: number;
  /** `▆ 98 % of excess sectors`. */
  readonly text: string;
  /** Markdown. */
  readonly detail: string;
}

export const STEPS = 4;
const GUTTER_PX = 16;
/** As many strokes as there is heat: the shade is not needed to read it. */
const STROKES = ["", "▂", "▄", "▆", "█"];
const RANGES = ["none", "up to 25 %", "up to 50 %", "up to 75 %", "above 75 %"];

/** The mark in the gutter, where no hint pushes it off the screen and no theme drops it: as many bars as there is heat. */
export function gutterIcon(step: number, color: string): string {
  const bars = Array.from({ length: step }, (_, index) => `<rect x="3" y="${GUTTER_PX - 4 - 3 * index}" width="10" height="2"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${GUTTER_PX}" height="${GUTTER_PX}" fill="${color}">${bars.join("")}</svg>`;
}

/** One mark for each hot line, in the order of the lines. Where kernels share a line, the hotter one's share stands there. */
export function marks(lines: readonly CountedLine[]): readonly Mark[] {
  const byLine = new Map<number, CountedLine[]>();
  for (const counted of lines) {
    if (counted.heat_step > 0) byLine.set(counted.line, [...(byLine.get(counted.line) ?? []), counted]);
  }
  return [...byLine]
    .map(([line, counted]) => {
      const hottest = counted.reduce((a, b) => (b.heat_step > a.heat_step ? b : a));
      return { line, step: hottest.heat_step, text: `${STROKES[hottest.heat_step] ?? ""} ${hottest.heat}`, detail: table(counted) };
    })
    .sort((a, b) => a.line - b.line);
}

/** Markdown: what the shades mean. */
export function legend(isShown: boolean): string {
  const rows = STROKES.map((stroke, step) => `| ${stroke} | ${RANGES[step] ?? ""} |`).slice(1);
  return [
    "**Heat** in the kernel's costliest launch: the line's share of the stall samples where a GPU sampled them, else of what moves beyond the ideal, in 32-byte sectors and shared-memory wavefronts.",
    "",
    "| | share |",
    "|---|---|",
    ...rows,
    "",
    isShown ? "Click to hide it." : "Click to show it.",
  ].join("\n");
}

function table(counted: readonly CountedLine[]): string {
  const rows = counted.map((line) => `| ${line.op} | ${line.requests === undefined ? "" : count(line.requests)} | ${units(line)} | ${line.grade}, ${line.method} |`);
  return ["| access | requests | counted (ideal) | grade |", "|---|---|---|---|", ...rows].join("\n");
}

function units(line: CountedLine): string {
  if (line.samples !== undefined) return `${(line.reason ?? "").replaceAll("_", " ")}: ${count(line.samples)} samples`;
  if (typeof line.sectors === "number") return `${count(line.sectors)} sectors (${count(line.ideal_sectors ?? 0)})`;
  if (typeof line.wavefronts === "number") return `${count(line.wavefronts)} wavefronts (${count(line.ideal_wavefronts ?? 0)})`;
  return "";
}

function count(value: number): string {
  return value.toLocaleString("en");
}
