/** `kernelopt/report`: a whole profile in parts (assistant/editor/report.py). Texts come with their unit; lines are 0-based lines of the document. */

export interface Report {
  readonly uri: string;
  readonly source: string;
  readonly name: string;
  readonly device: string | null;
  readonly rung: string | null;
  /** What the program as a whole spends its time on the GPU with; empty where that is not known. */
  readonly program: string;
  readonly kernels: readonly KernelPart[];
  /** Why there is nothing to show; empty where there is something. */
  readonly nothing: string;
}

export interface KernelPart {
  readonly key: string;
  readonly name: string;
  readonly line: number;
  readonly headline: string;
  readonly is_stale: boolean;
  readonly launches: readonly LaunchPart[];
  readonly not_shown: string;
  readonly comparisons: readonly ComparisonPart[];
}

export interface LaunchPart {
  readonly title: string;
  readonly method: string;
  /** What the lines' heat is a share of. */
  readonly heat: string;
  readonly facts: readonly Fact[];
  readonly findings: readonly FindingPart[];
  readonly rows: readonly Row[];
  readonly terms: readonly Bar[];
  readonly mix: readonly Bar[];
  readonly roofline: RooflinePart | null;
  readonly no_roofline: string;
  readonly stalls: readonly Bar[];
  readonly no_stalls: string;
  readonly estimates: readonly string[];
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

export interface Bar {
  readonly name: string;
  readonly value: string;
  readonly share: string;
  /** 0..1, for the length of the bar. */
  readonly ratio: number;
}

export interface FindingPart {
  readonly code: string;
  readonly title: string;
  readonly severity: string;
  readonly line: number;
  readonly message: string;
  readonly cost: string | null;
  /** (id, metric, value, line, method and device, grade) of each fact. */
  readonly evidence: readonly (readonly [string, string, string, string, string, string])[];
}

/** One source line; a gap between two ranges has no number. */
export interface Row {
  readonly number: number | null;
  /** Null where the line was changed since. */
  readonly now: number | null;
  readonly text: string;
  /** 0..4. */
  readonly heat_step: number;
  readonly heat: readonly string[];
  readonly counters: readonly string[];
  readonly codes: readonly string[];
  /** SASS. */
  readonly instructions: readonly string[];
}

export interface RooflinePart {
  readonly target: string;
  readonly plot: Plot;
  readonly width: number;
  readonly height: number;
  /** (against, intensity, at the predicted time, ceiling there). */
  readonly points: readonly (readonly [string, string, string, string])[];
}

/** Where everything of the drawing goes, in its own units. */
export interface Plot {
  readonly lines: readonly PlotLine[];
  readonly x_ticks: readonly Tick[];
  readonly y_ticks: readonly Tick[];
  readonly points: readonly Spot[];
  /** Of the version before an edit; empty where one version is drawn. */
  readonly before: readonly Spot[];
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface PlotLine {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly label: string;
  readonly label_x: number;
  readonly label_y: number;
  /** Degrees. */
  readonly angle: number;
  readonly is_slope: boolean;
  readonly is_lowest: boolean;
}

export interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly level: string;
  readonly label_y: number;
}

export interface ComparisonPart {
  readonly title: string;
  readonly proposal: string | null;
  readonly state: string;
  readonly verdict: string;
  /** What the verdict holds for, and what it was given without. */
  readonly caveats: readonly string[];
  readonly reasons: readonly string[];
  readonly speed: string;
  /** time(before) / time(after). */
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly interval: string;
  readonly method: string;
  readonly limits: string;
  readonly cases: readonly CasePart[];
  readonly predictions: readonly PredictionPart[];
  readonly verified: string;
  readonly tests: readonly TestPart[];
  /** Null where the figures of both versions were not kept. */
  readonly versions: VersionsPart | null;
}

/** One launch before and after an edit. */
export interface VersionsPart {
  readonly before: string;
  readonly after: string;
  /** Of the counts. */
  readonly method: string;
  readonly times: readonly PairPart[];
  readonly time_method: string;
  readonly counts: readonly PairPart[];
  readonly stalls: readonly PairPart[];
  readonly no_stalls: string;
  readonly roofline: RooflinePart | null;
  readonly no_roofline: string;
}

/** One figure of both versions; the ratios, 0..1, are for the lengths of their bars. */
export interface PairPart {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly before_ratio: number;
  readonly after_ratio: number;
}

export interface CasePart {
  readonly shape: string;
  readonly weight: string;
  readonly ratio: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly text: string;
}

export interface PredictionPart {
  readonly metric: string;
  readonly before: string;
  readonly predicted: string;
  readonly actual: string;
  readonly is_hit: boolean | null;
}

/** One case of a verification. */
export interface TestPart {
  readonly kind: string;
  readonly shape: string;
  readonly seed: number | null;
  readonly scale: number;
  readonly outcome: string;
  readonly detail: string;
}
