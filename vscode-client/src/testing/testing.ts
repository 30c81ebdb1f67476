/** The Test Explorer's kernels: run as they stand, or held against the last commit or a proposal's original, case by case. */

import * as vscode from "vscode";

import type { Kernel } from "../protocol/answers.ts";
import type { TestPart } from "../protocol/report.ts";
import type { Server } from "../server/server.ts";
import { type Node, Runner } from "./runner.ts";
import { byShape, caseId, caseLabel, type Group, groupId, groupLabel, kernelId, type Suite, suiteLabel, suites, type Verified } from "./suites.ts";

const PAUSE_MS = 300;
/** Said in the label: a description would take its place for screen readers. */
const CHECK = "runs clean: races, bounds, uninitialised reads";

export function registerTesting(context: vscode.ExtensionContext, server: Server, log: vscode.LogOutputChannel): void {
  context.subscriptions.push(new Explorer(server, log));
}

class Explorer implements vscode.Disposable {
  readonly #server: Server;
  readonly #log: vscode.LogOutputChannel;
  readonly #controller = vscode.tests.createTestController("kernelopt", "CUDA kernels");
  readonly #nodes = new WeakMap<vscode.TestItem, Node>();
  readonly #runner: Runner;
  readonly #listening: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#log = log;
    this.#runner = new Runner(server, this.#controller, (item) => this.#nodes.get(item), (item, made) => this.#placed(item, made));
    const { Run } = vscode.TestRunProfileKind;
    this.#controller.createRunProfile("Verify", Run, (request, token) => this.#runner.run(request, token, "again"), true);
    this.#controller.createRunProfile("Verify against the Last Commit", Run, (request, token) => this.#runner.run(request, token, "commit"));
    this.#controller.refreshHandler = () => this.#refresh();
    this.#listening = vscode.Disposable.from(
      server.onDidChangeDocuments((uris) => uris.length > 0 && this.#refreshSoon()),
      server.onDidChangeState(() => this.#refreshSoon()),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
    this.#controller.dispose();
  }

  /** Once it is quiet: not while somebody types. */
  #refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), PAUSE_MS);
  }

  async #refresh(): Promise<void> {
    if (this.#server.state.kind !== "running") return this.#controller.items.replace([]);
    try {
      const [kernels, verified] = await Promise.all([
        this.#server.request<readonly Kernel[]>("kernelopt/list", { what: "kernels" }),
        this.#server.request<readonly Verified[]>("kernelopt/list", { what: "cases" }),
      ]);
      this.#placeAll(suites(kernels, verified));
    } catch (error) {
      this.#log.debug(`kernels to test: ${String(error)}`);
    }
  }

  #placeAll(found: readonly Suite[]): void {
    const uris = [...new Set(found.map(({ kernel }) => kernel.uri))];
    keepOnly(this.#controller.items, uris);
    for (const uri of uris) {
      const place = vscode.Uri.parse(uri);
      const file = this.#item(this.#controller.items, uri, place.path.split("/").at(-1) ?? uri, place, { kind: "file" });
      const mine = found.filter(({ kernel }) => kernel.uri === uri);
      keepOnly(file.children, mine.flatMap(({ kernel, groups }) => [kernelId(kernel), ...groups.map((made) => groupId(kernel, made))]));
      for (const suite of mine) this.#placeKernel(file, suite);
    }
  }

  #placeKernel(file: vscode.TestItem, suite: Suite): void {
    const { kernel, groups } = suite;
    const item = this.#item(file.children, kernelId(kernel), suiteLabel(suite), file.uri, { kind: "kernel", kernel });
    item.range = new vscode.Range(kernel.document_line, 0, kernel.document_line, 0);
    const check = this.#item(item.children, "check", CHECK, file.uri, { kind: "check", kernel });
    check.sortText = "0"; // above what edits are
    check.range = item.range;
    for (const made of groups) {
      if (this.#parent(file, kernel, made).children.get(groupId(kernel, made)) === undefined) this.#placeGroup(file, kernel, made); // what a run of this window found stays
    }
  }

  /** An edit belongs to the kernel that stands there; a proposal is another text, whose verdict says nothing of it. */
  #parent(file: vscode.TestItem, kernel: Kernel, made: Group): vscode.TestItem {
    const own = file.children.get(kernelId(kernel));
    return made.proposal === undefined && own !== undefined ? own : file;
  }

  #placeGroup(file: vscode.TestItem, kernel: Kernel, made: Group): vscode.TestItem {
    const parent = this.#parent(file, kernel, made);
    const item = this.#item(parent.children, groupId(kernel, made), groupLabel(kernel, made), file.uri, { kind: "group", kernel, group: made });
    if (made.proposal === undefined) item.range = parent.range;
    const shapes = byShape(made.tests);
    keepOnly(item.children, [...shapes.keys()]);
    for (const [shape, tests] of shapes) {
      const place = this.#item(item.children, shape, shape === "" ? "the program's own launch" : shape, item.uri, { kind: "shape", kernel, group: made, tests });
      keepOnly(place.children, tests.map(caseId));
      for (const test of tests) this.#placeCase(place, kernel, made, test);
    }
    return item;
  }

  #placeCase(parent: vscode.TestItem, kernel: Kernel, made: Group, test: TestPart): void {
    const item = this.#item(parent.children, caseId(test), caseLabel(test), parent.uri, { kind: "case", kernel, group: made, tests: [test] });
    if (made.proposal === undefined) item.range = new vscode.Range(kernel.document_line, 0, kernel.document_line, 0);
  }

  /** The group of a verification with its cases; `item` is any item of its kernel. */
  #placed(item: vscode.TestItem, made: Group): vscode.TestItem {
    const node = this.#nodes.get(item);
    if (node === undefined || node.kind === "file") throw new Error(`${item.label} belongs to no kernel`);
    return this.#placeGroup(this.#fileOf(item), node.kernel, made);
  }

  #fileOf(item: vscode.TestItem): vscode.TestItem {
    return item.parent === undefined ? item : this.#fileOf(item.parent);
  }

  /** The child of that id, made where there is none. */
  #item(children: vscode.TestItemCollection, id: string, label: string, uri: vscode.Uri | undefined, node: Node): vscode.TestItem {
    const known = children.get(id);
    const item = known ?? this.#controller.createTestItem(id, label, uri);
    item.label = label;
    this.#nodes.set(item, node);
    if (known === undefined) children.add(item);
    return item;
  }
}

function keepOnly(items: vscode.TestItemCollection, ids: readonly string[]): void {
  const kept = new Set(ids);
  items.forEach((item) => kept.has(item.id) || items.delete(item.id));
}

