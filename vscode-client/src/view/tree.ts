/** The kernelopt view: the rows of `rows.ts` as a tree. */

import * as vscode from "vscode";

import type { Watch } from "../server/picture.ts";
import { type Row, rows } from "./rows.ts";

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
  readonly #watch: Watch;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;

  constructor(watch: Watch) {
    this.#watch = watch;
    this.#subscription = watch.onDidChange(() => this.#changed.fire(undefined));
  }

  getChildren(row?: Row): Row[] {
    return [...(row === undefined ? rows(this.#watch.picture) : row.children)];
  }

  getTreeItem(row: Row): vscode.TreeItem {
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

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
