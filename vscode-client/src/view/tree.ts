/** The kernelopt view: the rows of `rows.ts` as a tree. */

import * as vscode from "vscode";

import type { Watch } from "../server/picture.ts";
import { changedSections, type Row, rows } from "./rows.ts";

const VIEW = "kernelopt.overview";

export function registerView(watch: Watch): vscode.Disposable {
  const provider = new Overview(watch);
  const view = vscode.window.createTreeView(VIEW, { treeDataProvider: provider, showCollapseAll: true });
  const changes = watch.onDidChange((picture) => {
    const count = picture.proposals.length;
    view.badge = count === 0 ? undefined : { value: count, tooltip: count === 1 ? "1 open proposal" : `${count} open proposals` };
  });
  return vscode.Disposable.from(view, changes, provider);
}

class Overview implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #rows: readonly Row[];
  /** As VS Code has them: it knows a row by the object. */
  #sections: readonly Row[];

  constructor(watch: Watch) {
    this.#rows = this.#sections = rows(watch.picture);
    this.#subscription = watch.onDidChange((picture) => this.#show(rows(picture)));
  }

  getChildren(row?: Row): Row[] {
    return [...(row === undefined ? this.#sections : this.#now(row).children)];
  }

  getTreeItem(given: Row): vscode.TreeItem {
    const row = this.#now(given);
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.label, row.children.length > 0 ? Expanded : None);
    item.id = row.id;
    item.iconPath = new vscode.ThemeIcon(row.icon);
    item.contextValue = row.kind;
    item.accessibilityInformation = { label: [row.label, row.description].filter(Boolean).join(", ") };
    if (row.description !== undefined) item.description = row.description;
    if (row.tooltip !== undefined) item.tooltip = row.tooltip;
    if (row.command !== undefined) {
      item.command = { command: row.command.id, title: row.command.title, arguments: [row.command.argument] };
    }
    return item;
  }

  /** Only what changed is read anew: VS Code forgets the rows that it reads anew, and a click on one of them comes without it. */
  #show(found: readonly Row[]): void {
    const changed = changedSections(this.#rows, found);
    this.#rows = found;
    if (changed === undefined) this.#sections = found;
    if (changed?.length !== 0) this.#changed.fire(changed && this.#sections.filter(({ id }) => changed.includes(id)));
  }

  /** A section as it is now; other rows are as they were read. */
  #now(row: Row): Row {
    return this.#rows.find(({ id }) => id === row.id) ?? row;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
