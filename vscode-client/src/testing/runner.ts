/** Runs chosen items of the Test Explorer: one job for each kernel and version, however many of its cases were chosen. */

import * as vscode from "vscode";

import type { Kernel } from "../protocol/answers.ts";
import type { KernelOptEvent } from "../protocol/events.ts";
import type { TestPart } from "../protocol/report.ts";
import type { Server } from "../server/server.ts";
import { type Committed, committedText, GIT } from "./commit.ts";
import { runJob } from "./jobs.ts";
import { again, caseId, EDIT, type Group, result, type Result } from "./suites.ts";

/** What an item stands for. */
export type Node =
  | { readonly kind: "file" }
  | { readonly kind: "kernel"; readonly kernel: Kernel }
  | { readonly kind: "check"; readonly kernel: Kernel }
  | { readonly kind: "group"; readonly kernel: Kernel; readonly group: Group }
  | { readonly kind: "shape" | "case"; readonly kernel: Kernel; readonly group: Group; readonly tests: readonly TestPart[] };

/** `again`: as it was verified; `commit`: the document against its last commit. */
type Against = "again" | "commit";

interface CheckEvent extends KernelOptEvent {
  readonly kernel: string;
  readonly launch_count: number;
  readonly problems: readonly { readonly message: string; readonly file: string; readonly line: number }[];
  readonly is_deterministic: boolean | null;
}

interface ComparisonEvent extends KernelOptEvent {
  readonly kernel: string | null;
  readonly verification: {
    readonly outcome: string;
    readonly findings: readonly { readonly message: string; readonly case: number | null }[];
    readonly cases: readonly Omit<TestPart, "detail">[];
  };
}

interface EndEvent extends KernelOptEvent {
  readonly reason: string;
}

export class Runner {
  readonly #server: Server;
  readonly #controller: vscode.TestController;
  readonly #nodeOf: (item: vscode.TestItem) => Node | undefined;
  readonly #place: (item: vscode.TestItem, made: Group) => vscode.TestItem;

  constructor(
    server: Server,
    controller: vscode.TestController,
    nodeOf: (item: vscode.TestItem) => Node | undefined,
    place: (item: vscode.TestItem, made: Group) => vscode.TestItem,
  ) {
    this.#server = server;
    this.#controller = controller;
    this.#nodeOf = nodeOf;
    this.#place = place;
  }

  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, against: Against): Promise<void> {
    const run = this.#controller.createTestRun(request);
    try {
      for (const work of this.#works(request, against)) {
        if (token.isCancellationRequested) break;
        await this.#do(run, work, token);
      }
    } finally {
      run.end();
    }
  }

  #works(request: vscode.TestRunRequest, against: Against): readonly Work[] {
    const excluded = new Set(request.exclude ?? []);
    const works = new Map<vscode.TestItem, TestPart[] | "all">();
    const visit = (item: vscode.TestItem): void => {
      const node = this.#nodeOf(item);
      if (node === undefined || excluded.has(item)) return;
      if (node.kind === "file" || (node.kind === "kernel" && against === "again")) item.children.forEach(visit);
      else if (node.kind === "shape" || node.kind === "case") choose(works, this.#up(item, "group"), node.tests);
      else works.set(item, "all");
    };
    if (request.include === undefined) this.#controller.items.forEach(visit);
    else request.include.forEach(visit);
    return [...works].map(([item, tests]) => ({ item, tests, against }));
  }

  /** The item that holds it, of that kind; itself where it is one. */
  #up(item: vscode.TestItem, kind: Node["kind"]): vscode.TestItem {
    if (this.#nodeOf(item)?.kind === kind) return item;
    if (item.parent === undefined) throw new Error(`${item.label} belongs to no ${kind}`);
    return this.#up(item.parent, kind);
  }

  async #do(run: vscode.TestRun, work: Work, token: vscode.CancellationToken): Promise<void> {
    const node = this.#nodeOf(work.item);
    if (node === undefined || node.kind === "file") return;
    run.started(work.item);
    try {
      if (node.kind === "check") await this.#check(run, work.item, node.kernel, token);
      else await this.#verify(run, work, node, token);
    } catch (error) {
      run.errored(work.item, new vscode.TestMessage(error instanceof Error ? error.message : String(error)));
    }
  }

  async #check(run: vscode.TestRun, item: vscode.TestItem, kernel: Kernel, token: vscode.CancellationToken): Promise<void> {
    const told = await runJob(this.#server, "kernelopt.check", target(kernel), token);
    const check = told.find((event): event is CheckEvent => event.event === "check" && (event as CheckEvent).kernel === kernel.kernel);
    if (check === undefined) return this.#unanswered(run, item, told, token);
    if (check.is_deterministic === false) run.appendOutput("results differ from run to run\r\n", undefined, item);
    if (check.problems.length === 0 && check.launch_count > 0) return run.passed(item);
    if (check.problems.length === 0) return run.errored(item, new vscode.TestMessage("not checked: the program never launches it"));
    run.failed(item, check.problems.map((problem) => located(problem.message, item, problem)));
  }

  async #committed(uri: vscode.Uri | undefined): Promise<Committed> {
    return uri === undefined ? { missing: "it belongs to no file" } : await committedText(vscode.extensions.getExtension(GIT), uri);
  }

  async #verify(run: vscode.TestRun, work: Work, node: Exclude<Node, { kind: "file" | "check" }>, token: vscode.CancellationToken): Promise<void> {
    const known = node.kind === "kernel" ? undefined : node.group;
    const proposal = work.against === "commit" ? undefined : known?.proposal;
    const committed = proposal === undefined ? await this.#committed(work.item.uri) : undefined;
    if (committed !== undefined && "missing" in committed) throw new Error(`there is no earlier text to verify against: ${committed.missing}`);
    const before = committed?.text;
    if (before !== undefined && before === openText(work.item.uri)) {
      run.appendOutput("the text is that of the last commit: there is nothing to verify\r\n", undefined, work.item);
      return run.skipped(work.item);
    }
    const chosen = known === undefined || work.tests === "all" ? undefined : again(known.tests, work.tests);
    const asked = { ...target(node.kernel), ...(proposal === undefined ? { before } : { proposal_id: proposal }), ...chosen };
    const told = await runJob(this.#server, "kernelopt.verify", asked, token);
    const comparisons = told.filter((event): event is ComparisonEvent => event.event === "comparison");
    const comparison = comparisons.find(({ kernel }) => kernel === node.kernel.kernel) ?? comparisons[0];
    if (comparison === undefined) return this.#unanswered(run, work.item, told, token);
    const id = proposal ?? EDIT;
    const made = grouped(comparison, { id, title: known?.id === id ? known.title : "against the last commit", proposal });
    if (chosen === undefined) settle(run, this.#place(work.item, made), made);
    else settleCases(run, work.item, made);
  }

  #unanswered(run: vscode.TestRun, item: vscode.TestItem, told: readonly KernelOptEvent[], token: vscode.CancellationToken): void {
    if (token.isCancellationRequested) return run.skipped(item);
    const end = told.find((event): event is EndEvent => event.event === "job_ended");
    run.errored(item, new vscode.TestMessage(end?.reason ?? "the job ended without an answer"));
  }
}

interface Work {
  readonly item: vscode.TestItem;
  readonly tests: readonly TestPart[] | "all";
  readonly against: Against;
}

function choose(works: Map<vscode.TestItem, TestPart[] | "all">, group: vscode.TestItem, tests: readonly TestPart[]): void {
  const known = works.get(group) ?? [];
  if (known !== "all") works.set(group, [...known, ...tests.filter((test) => !known.includes(test))]);
}

function openText(uri: vscode.Uri | undefined): string | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri?.toString())?.getText();
}

function target(kernel: Kernel): object {
  return { uri: kernel.uri, kernel: kernel.kernel, ...(kernel.source === undefined ? {} : { source: kernel.source }) };
}

function grouped(event: ComparisonEvent, named: Pick<Group, "id" | "title" | "proposal">): Group {
  const { cases, findings, outcome } = event.verification;
  const tests = cases.map((item, index) => ({
    ...item,
    detail: findings
      .filter((finding) => finding.case === index)
      .map(({ message }) => message)
      .join("; "),
  }));
  return { ...named, verdict: outcome, reasons: findings.map(({ message }) => message), tests };
}

/** The results of a whole verification. */
function settle(run: vscode.TestRun, item: vscode.TestItem, made: Group): void {
  settleCases(run, item, made);
  tell(run, item, result(made.verdict, made.reasons.join("; ")));
}

function settleCases(run: vscode.TestRun, item: vscode.TestItem, made: Group): void {
  for (const test of made.tests) {
    const place = item.children.get(test.shape)?.children.get(caseId(test));
    const detail = test.detail === "" && test.outcome !== "PASS" ? (made.reasons[0] ?? "") : test.detail; // one finding speaks for all of its kind
    if (place !== undefined) tell(run, place, result(test.outcome, detail));
  }
}

function tell(run: vscode.TestRun, item: vscode.TestItem, found: Result): void {
  switch (found.kind) {
    case "passed":
      return run.passed(item);
    case "failed":
      return run.failed(item, located(found.message, item));
    case "open":
      run.appendOutput(`${item.label}: ${found.message}\r\n`, undefined, item);
      return run.skipped(item); // shown as neither
  }
}

function located(message: string, item: vscode.TestItem, problem?: { readonly file: string; readonly line: number }): vscode.TestMessage {
  const made = new vscode.TestMessage(message);
  const isHere = problem !== undefined && problem.line > 0 && item.uri?.fsPath === problem.file;
  const line = isHere ? problem.line - 1 : item.range?.start.line;
  if (item.uri !== undefined && line !== undefined) made.location = new vscode.Location(item.uri, new vscode.Position(line, 0));
  return made;
}
