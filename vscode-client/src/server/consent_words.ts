/** The question whether a program may run, in words. Values only. */

/** `kernelopt/consent`. */
export interface ConsentAsked {
  /** Of this exact run: of its command, flags and reference. */
  readonly id: string;
  readonly program: string;
  /** A sentence a line: what is compiled, by which compiler with which flags, and how it is run; of a build its command. */
  readonly command: string;
  readonly folder: string;
  readonly purpose: string;
  /** A person has just started what needs it. */
  readonly is_asked_for: boolean;
}

export type ConsentAnswer = "once" | "always" | "never";

export interface ConsentQuestion {
  readonly title: string;
  readonly detail: string;
  /** Undefined: not now. */
  readonly answers: ReadonlyMap<string, ConsentAnswer | undefined>;
}

const PURPOSES: Readonly<Record<string, string>> = {
  recording: "once in a private copy of the folder, to see what it compiles and links",
  configuring: "to see what the project builds; nothing is written outside of .kernelopt",
};
const JUDGING = "to verify and profile its kernels";

/** What an answer is about, and how long it holds. */
const HOLDS = [
  "An answer is for this program alone, edited and saved text included: asked again when its command, its flags or the reference change.",
  "Once holds until the window is closed or the server restarts; Always and Never are remembered.",
].join("\n");

export function consentQuestion({ command, folder, program, purpose }: ConsentAsked): ConsentQuestion {
  return {
    title: `Run ${program} ${PURPOSES[purpose] ?? JUDGING}?`,
    detail: `${command}\n\nRuns as you, in ${folder}. ${HOLDS}`,
    answers: new Map<string, ConsentAnswer | undefined>([
      ["Once", "once"],
      ["Always for This Program", "always"],
      ["Never", "never"],
      ["Not Now", undefined],
    ]),
  };
}

/** The entry of the status bar while something waits. */
export function waitingText(waiting: readonly ConsentAsked[]): { readonly text: string; readonly tooltip: string } {
  const [first, ...more] = waiting;
  const others = more.length === 0 ? "" : ` +${more.length}`;
  const commands = waiting.map(({ command }) => command).join("\n");
  return { text: `$(warning) run ${first?.program ?? ""}?${others}`, tooltip: `kernelopt waits for your OK to run\n${commands}\nClick to answer.` };
}
