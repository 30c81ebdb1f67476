/** The Test Explorer's kernels: run as they stand, or held against the last commit or a proposal's original, case by case. */

import * as vscode from "vscode";

import type { Kernel } from "../protocol/answers.ts";
import type { TestPart } from "../protocol/report.ts";
import type { Server } from "../server/server.ts";
import { type Node, Runner } from "./runner.ts";
import { byShape, caseId, caseLabel, EDIT, type Group, type Suite, suites, type Verified } from "./suites.ts";

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
    this.#runner = new Runner(server, this.#controller, (item) => this.#nodes.get(item), (item, made) => this.#place(item, made));
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
      keepOnly(file.children, mine.map(({ kernel }) => kernelId(kernel)));
      for (const suite of mine) this.#placeKernel(file, suite);
    }
  }

  #placeKernel(file: vscode.TestItem, { kernel, groups }: Suite): void {
    const item = this.#item(file.children, kernelId(kernel), kernel.name, file.uri, { kind: "kernel", kernel });
    item.range = new vscode.Range(kernel.document_line, 0, kernel.document_line, 0);
    const check = this.#item(item.children, "check", CHECK, file.uri, { kind: "check", kernel });
    check.sortText = "0"; // above what edits are
    check.range = item.range;
    const local = item.children.get(EDIT) !== undefined && !groups.some(({ id }) => id === EDIT) ? [EDIT] : [];
    keepOnly(item.children, ["check", ...local, ...groups.map(({ id }) => id)]);
    for (const made of groups.filter(({ id }) => item.children.get(id) === undefined)) {
      const placed = this.#placeGroup(item, kernel, made); // what a run of this window found stays
      if (made.proposal !== undefined) this.#runner.remember(placed, made); // of an edit, nobody ran a test yet
    }
  }

  #placeGroup(parent: vscode.TestItem, kernel: Kernel, made: Group): vscode.TestItem {
    const item = this.#item(parent.children, made.id, made.title, parent.uri, { kind: "group", kernel, group: made });
    if (made.proposal === undefined) item.range = parent.range; // a proposal's verdict says nothing against the code that stands there
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

  /** The group of a kernel's item with the cases of a verification. */
  #place(kernel: vscode.TestItem, made: Group): vscode.TestItem {
    const node = this.#nodes.get(kernel);
    if (node?.kind !== "kernel") throw new Error(`${kernel.label} is no kernel`);
    return this.#placeGroup(kernel, node.kernel, made);
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

function kernelId(kernel: Kernel): string {
  return `${kernel.source ?? ""} ${kernel.kernel}`;
}

function keepOnly(items: vscode.TestItemCollection, ids: readonly string[]): void {
  const kept = new Set(ids);
  items.forEach((item) => kept.has(item.id) || items.delete(item.id));
}

