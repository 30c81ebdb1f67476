/** `kernelopt/memory`: what was learned, in parts (assistant/editor/learned_page.py). Places are shares of a common logarithmic axis. */

export interface LearnedPage {
  readonly states: readonly StatePart[];
  /** Null where nothing was timed. */
  readonly axis: AxisPart | null;
  readonly sequences: readonly string[];
  readonly lessons: readonly LessonPart[];
  /** Newest first. */
  readonly tried: readonly TriedPart[];
  /** Why there is no state; empty where there is one. */
  readonly nothing: string;
}

export interface StatePart {
  readonly title: string;
  readonly device: string;
  readonly techniques: readonly TechniquePart[];
}

export interface TechniquePart {
  readonly technique: string;
  readonly kernels: string;
  readonly right: string;
  readonly speed: string;
  readonly how: string;
  readonly people: string;
  readonly imported: string;
  readonly place: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface AxisPart {
  readonly one: number;
  readonly ticks: readonly (readonly [number, string])[];
}

export interface LessonPart {
  readonly id: string;
  readonly technique: string;
  readonly statements: readonly string[];
  readonly rows: string;
}

export interface TriedPart {
  readonly id: string;
  readonly technique: string;
  readonly kernel: string;
  readonly file: string;
  readonly created_ms: number;
  readonly outcome: string;
  readonly reason: string;
  readonly tried: string;
}
