/** The diffs of proposals: one file beside its live document, several in VS Code's own editor of changes. */

import * as vscode from "vscode";

import type { FilePreview } from "../protocol/answers.ts";
import { changesTitle, isCalled, proposalOf } from "./choice.ts";

/** Whether the editor of several files is in front, for menus and keys: it has no address of ours. */
const SHOWS_CHANGES = "kernelopt.showsChanges";

export class Diffs implements vscode.Disposable {
  /** Proposals of several files by what their tab is called: VS Code says no more of such a tab. */
  readonly #changes = new Map<string, string>();
  readonly #listening = vscode.Disposable.from(
    vscode.window.tabGroups.onDidChangeTabs(() => this.#tellKeys()),
    vscode.window.tabGroups.onDidChangeTabGroups(() => this.#tellKeys()),
  );

  dispose(): void {
    this.#listening.dispose();
  }

  async open(proposal: string, files: readonly FilePreview[], claim: string): Promise<void> {
    const [only, ...others] = files;
    if (only !== undefined && others.length === 0) await openDiff(only, claim);
    else await this.#openChanges(proposal, files, claim);
  }

  tabs(proposal: string): readonly vscode.Tab[] {
    return allTabs().filter((tab) => this.#proposalOf(tab) === proposal);
  }

  /** The proposal whose diff is in front. */
  get shown(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab === undefined ? undefined : this.#proposalOf(tab);
  }

  async close(proposal: string): Promise<void> {
    await vscode.window.tabGroups.close(this.tabs(proposal));
  }

  async #openChanges(proposal: string, files: readonly FilePreview[], claim: string): Promise<void> {
    const shown = files.map(({ before_uri, document_uri, proposal_uri }) => [document_uri, before_uri, proposal_uri].map((uri) => vscode.Uri.parse(uri)));
    const taken = [...this.#changes].flatMap(([title, other]) => (other === proposal ? [] : [title]));
    const title = changesTitle(files.map(({ name }) => name), claim, taken);
    this.#changes.set(title, proposal);
    await vscode.commands.executeCommand("vscode.changes", title, shown);
  }

  #proposalOf({ input, label }: vscode.Tab): string | undefined {
    if (input instanceof vscode.TabInputTextDiff) return proposalOf(input.modified);
    return [...this.#changes].find(([title]) => isCalled(label, title))?.[1];
  }

  #tellKeys(): void {
    const isDiff = vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff;
    void vscode.commands.executeCommand("setContext", SHOWS_CHANGES, this.shown !== undefined && !isDiff);
  }
}

async function openDiff(file: FilePreview, claim: string): Promise<void> {
  const { before, after, isLive } = await sides(file);
  const title = isLive ? `${file.name} ↔ ${claim}` : `${file.name} before your last edits, which stay ↔ ${claim}`;
  // a tab of its own: in that of a file or notebook that was only looked at so far, it would close it
  await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: false } satisfies vscode.TextDocumentShowOptions);
}

interface Sides {
  /** The live document; where it has moved on, the text that the proposal was made for: what was typed since is no part of the change. */
  readonly before: vscode.Uri;
  readonly after: vscode.Uri;
  readonly isLive: boolean;
}

async function sides(file: FilePreview): Promise<Sides> {
  const [live, made, after] = [vscode.Uri.parse(file.document_uri), vscode.Uri.parse(file.before_uri), vscode.Uri.parse(file.proposal_uri)];
  const texts = await Promise.all([live, made].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()));
  const isLive = texts[0] === texts[1];
  return { before: isLive ? live : made, after, isLive };
}

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}
