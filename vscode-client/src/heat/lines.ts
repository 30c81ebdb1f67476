/** Which lines are hot, and what is said of each. Pure: counters in, marks out. */

/** An item of `kernelopt/lines`: an access, or a reason to stall. Only fields that are read here. */
export interface CountedLine {
  /** 0-based. */
  readonly line: number;
  readonly kernel: string;
  /** 0..`STEPS`. */
  readonly heat_step: number;
  /** What stands at the end of the line while the cursor is on it. */
  readonly heat: string;
  /** Of a line that was edited since it was saved: what is predicted of it. */
  readonly live?: string;
}

export interface Mark {
  readonly line: number;
  /** 0: no bar. */
  readonly step: number;
  /** `store 32 sectors/request, 4 would do`, or of a line that was edited `≈ store: was 4, now 32 sectors/request`. */
  readonly text: string;
}

export const STEPS = 4;
const GUTTER_PX = 16;
const RANGES = ["none", "up to 25 %", "up to 50 %", "up to 75 %", "above 75 %"];
const PX_PER_STEP = 2;
const FAINTEST = 0.4;

/** The bar in the gutter: the hotter the line, the darker and the wider, so that no colour is needed to read it. */
export function gutterIcon(step: number, color: string): string {
  const width = PX_PER_STEP * step;
  const opacity = FAINTEST + ((1 - FAINTEST) * (step - 1)) / (STEPS - 1);
  const bar = `<rect x="${GUTTER_PX - width}" y="0" width="${width}" height="${GUTTER_PX}" fill-opacity="${opacity.toFixed(2)}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${GUTTER_PX}" height="${GUTTER_PX}" fill="${color}">${bar}</svg>`;
}

/** One mark for each hot or edited line, in the order of the lines. Where kernels share a line, the hotter one's share stands there. */
export function marks(lines: readonly CountedLine[]): readonly Mark[] {
  const byLine = new Map<number, CountedLine[]>();
  for (const counted of lines) {
    if (counted.heat_step > 0 || counted.live !== undefined) byLine.set(counted.line, [...(byLine.get(counted.line) ?? []), counted]);
  }
  return [...byLine]
    .map(([line, counted]) => {
      const hottest = counted.reduce((a, b) => (b.heat_step > a.heat_step ? b : a));
      const live = counted.flatMap((item) => item.live ?? [])[0];
      return live === undefined ? { line, step: hottest.heat_step, text: hottest.heat } : { line, step: 0, text: live };
    })
    .sort((a, b) => a.line - b.line);
}

/** Markdown: what the bars mean. */
export function legend(isShown: boolean): string {
  const rows = RANGES.map((range, step) => `| ${PX_PER_STEP * step} | ${range} |`).slice(1);
  return [
    "**Heat** in the kernel's costliest launch: the line's share of the stall samples where a GPU sampled them, else of what moves beyond the ideal, in 32-byte sectors and shared-memory wavefronts.",
    "",
    "| width of the bar | share |",
    "|---|---|",
    ...rows,
    "",
    isShown ? "Click to hide it." : "Click to show it.",
  ].join("\n");
}
