/** The diffs of proposals, one for each file, each with its live document. */

import * as vscode from "vscode";

import type { FilePreview } from "../protocol/answers.ts";
import { beforePath, proposalOf } from "./choice.ts";

export class Diffs {
  /** One diff for each file; the first stays in front. */
  async open(files: readonly FilePreview[], claim: string): Promise<void> {
    for (const file of [...files].reverse()) await openDiff(file, claim);
  }

  tabs(proposal: string): readonly vscode.Tab[] {
    return allTabs().filter((tab) => shownIn(tab) === proposal);
  }

  /** The proposal whose diff is in front. */
  get shown(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab === undefined ? undefined : shownIn(tab);
  }

  async close(proposal: string): Promise<void> {
    await vscode.window.tabGroups.close(this.tabs(proposal));
  }
}

function shownIn({ input }: vscode.Tab): string | undefined {
  return input instanceof vscode.TabInputTextDiff ? proposalOf(input.modified.scheme, input.modified.path) : undefined;
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
  const [live, after] = [vscode.Uri.parse(file.document_uri), vscode.Uri.parse(file.proposal_uri)];
  const made = after.with({ path: beforePath(after.path) });
  const texts = await Promise.all([live, made].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()));
  const isLive = texts[0] === texts[1];
  return { before: isLive ? live : made, after, isLive };
}

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}
