// The history page: proposals with their diffs, decisions, attempts, jobs with cancel. It keeps nothing: memory is asked again on changes.
import { Widget } from "@lumino/widgets";
import { Api, type Verb } from "./api.ts";
import { button, cellsRow, element, section, table } from "./elements.ts";
import { type Attempt, type Decision, diffLines, type Job, type Learned, learnedCells, possible, type Proposal, shortName, speed, stateOfJob, when, words } from "./rows.ts";

const REASONS = ["readability", "precision", "portability", "not-worth-it", "wrong", "style", "other"] as const; // REASON_CODES
const SETTLE_MS = 150; // one look for changes that come together

export class HistoryPage extends Widget {
  readonly #api: Api;
  readonly #end = new AbortController();
  readonly #message = element("div", { className: "kernelopt-message", role: "status" });
  readonly #shown = element("div");
  #opened: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: Api) {
    super();
    this.#api = api;
    this.id = "kernelopt-history";
    this.addClass("kernelopt-history");
    this.node.append(this.#message, this.#shown);
    api.watch(() => this.#soon(), this.#end.signal);
    void this.#look();
  }

  override dispose(): void {
    this.#end.abort();
    clearTimeout(this.#timer);
    super.dispose();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), SETTLE_MS);
  }

  async #look(): Promise<void> {
    await this.#told(async () => {
      const [proposals, history, jobs, learned] = await Promise.all([this.#api.proposals(), this.#api.history(), this.#api.jobs(), this.#api.learned()]);
      this.#shown.replaceChildren(
        section("Proposals", this.#proposals(proposals), "No proposal yet: run %%kernelopt, or kernelopt optimize FILE."),
        section("Decisions", decisionTable(history.decisions), "Nothing was decided yet."),
        section("Attempts", attemptTable(history.attempts), "Nothing was tried yet."),
        section("What was learned", learnedTable(learned), "Nothing was learned yet: every candidate that a search judges is a trial."),
        section("Jobs", this.#jobs(jobs), "No job ran yet."),
      );
      if (this.#opened !== undefined) await this.#open(this.#opened);
    });
  }

  #proposals(proposals: readonly Proposal[]): HTMLElement | undefined {
    const rows = proposals.map((proposal) => {
      const title = button(proposal.techniques.join(" + "), () => void this.#toggle(proposal.id), "kernelopt-link");
      title.setAttribute("aria-expanded", String(proposal.id === this.#opened));
      const gain = element("span", { textContent: speed(proposal.speed_outcome, proposal.ratio), title: proposal.method });
      const row = cellsRow([title, proposal.state, proposal.outcome, gain, shortName(proposal.kernel), proposal.file ?? "", when(proposal.created_ms)]);
      row.dataset["proposal"] = proposal.id;
      return row;
    });
    return table(["proposal", "state", "verdict", "speed", "kernel", "where", "made"], rows);
  }

  #jobs(jobs: readonly Job[]): HTMLElement | undefined {
    const rows = jobs.map((job) => {
      const act = job.is_running && !job.is_cancel_requested ? button("Cancel", () => void this.#told(() => this.#api.cancel(job.id))) : "";
      return cellsRow([job.command, job.file ?? "", stateOfJob(job), job.owner, when(job.started_ms), act]);
    });
    return table(["job", "where", "state", "by", "begun", ""], rows);
  }

  async #toggle(id: string): Promise<void> {
    this.#opened = this.#opened === id ? undefined : id;
    await this.#look();
  }

  async #open(id: string): Promise<void> {
    const proposal = await this.#api.proposal(id);
    const lines = diffLines(proposal.diff).map(({ kind, text }) => element("div", { className: `kernelopt-${kind}`, textContent: text }));
    const diff = element("div", { className: "kernelopt-diff" });
    diff.append(...lines);
    const acts = element("div", { className: "kernelopt-acts" });
    acts.append(...possible(proposal).flatMap((verb) => this.#act(proposal.id, verb)));
    const cell = element("td", { colSpan: 7 });
    cell.append(
      element("p", { textContent: proposal.summary }),
      element("p", { textContent: proposal.labels.length > 0 ? `Labels: ${proposal.labels.join(", ")}` : "No labels" }),
      diff,
      acts,
      ...proposal.decisions.map((decision) => element("p", { textContent: `${when(decision.decided_ms)} ${words(decision)}` })),
    );
    const row = element("tr", { className: "kernelopt-open" });
    row.append(cell);
    this.#shown.querySelector(`tr[data-proposal="${proposal.id}"]`)?.after(row);
  }

  #act(id: string, verb: Verb): HTMLElement[] {
    const decide = (reason?: { reason_code: string }): void => void this.#told(() => this.#api.decide(id, verb, reason)); // heard of as a change
    if (verb === "accept") return [button("Accept into file", () => decide())];
    if (verb === "undo") return [button("Take back", () => decide())];
    const choice = element("select", { title: "Why" });
    choice.append(...["no reason", ...REASONS].map((reason) => new Option(reason, reason)));
    return [choice, button("Reject", () => decide(choice.selectedIndex === 0 ? undefined : { reason_code: choice.value }))];
  }

  // Does it, and shows what went wrong in its own words.
  async #told(act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#message.textContent = "";
    } catch (error) {
      this.#message.textContent = error instanceof Error ? error.message : String(error);
    }
  }
}

function decisionTable(decisions: readonly Decision[]): HTMLElement | undefined {
  const rows = [...decisions].reverse().map((decision) => {
    return cellsRow([when(decision.decided_ms), words(decision), shortName(decision.kernel), decision.file ?? "", decision.proposal]);
  });
  return table(["when", "what", "kernel", "where", "proposal"], rows);
}

function learnedTable(learned: Learned): HTMLElement | undefined {
  const known = table(["kernels", "technique", "tried on", "right", "median [interval]", "how", "people"], learnedCells(learned).map(cellsRow));
  if (known === undefined) return undefined;
  const lessons = learned.lessons.flatMap(({ technique, statements }) => statements.map((statement) => `${technique}: ${statement}`));
  const lines = [...learned.sequences.map((sequence) => `Together: ${sequence}`), ...lessons];
  const made = element("div");
  made.append(known, ...lines.map((textContent) => element("p", { textContent })));
  return made;
}

function attemptTable(attempts: readonly Attempt[]): HTMLElement | undefined {
  const rows = attempts.map((attempt) => {
    const by = attempt.model ?? "rules";
    return cellsRow([
      when(attempt.created_ms), attempt.technique, attempt.outcome, speed(attempt.speed, attempt.ratio), attempt.reason, attempt.tried, by, shortName(attempt.kernel), attempt.file ?? "",
    ]);
  });
  return table(["when", "technique", "outcome", "speed", "why", "tried", "written by", "kernel", "where"], rows);
}
