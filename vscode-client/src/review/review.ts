/**
 * The review of proposals: a diff with the live document, a thread on each hunk, reasons for a reject.
 *
 * Whether a proposal is open, right or accepted is the server's business; here is only which hunks a person has left out so far.
 */

import * as vscode from "vscode";

import type { Notes } from "../notes.ts";
import { plain } from "../plain.ts";
import type { Accepted, Explained, FilePreview, Preview, Proposal } from "../protocol/answers.ts";
import type { Server } from "../server/server.ts";
import { acceptance, beforePath, type Choice, everything, partly, proposalOf, taken, together, toggled } from "./choice.ts";
import { explanationName } from "./name.ts";
import { askReason, chooseHunks, chooseOther, choosePart, chooseProposal, chooseVerb } from "./picks.ts";
import { rejection } from "./reasons.ts";
import { Threads } from "./threads.ts";

/** What a lens, a menu or a link hands over to a command on a proposal. */
export interface ProposalArguments {
  readonly proposal_id: string;
  readonly hunk_ids?: readonly string[];
  readonly reason_code?: string;
  readonly reason?: string;
}

export class Review implements vscode.Disposable {
  readonly #server: Server;
  readonly #notes: Notes;
  readonly #threads = new Threads();
  readonly #choices = new Map<string, Choice>();

  constructor(server: Server, notes: Notes) {
    this.#server = server;
    this.#notes = notes;
  }

  dispose(): void {
    this.#threads.dispose();
  }

  /** Opens the diffs of the live documents and the proposal, one for each file; the first stays in front. */
  async preview(proposal: string): Promise<void> {
    const answer = await this.#server.execute<Preview>("kernelopt.proposal.preview", { proposal_id: proposal });
    const choice = this.#choices.get(answer.proposal_id) ?? everything(answer.proposal_id, answer.files, answer.choices);
    this.#choices.set(choice.proposal, choice);
    const [claim = "proposal"] = answer.about;
    for (const file of [...answer.files].reverse()) await openDiff(file, claim);
    this.#threads.show(choice, answer);
  }

  /** Accepts what is not left out, and says where that is not all; asks first where the person does not see what is left out. */
  async accept(proposal: string): Promise<void> {
    const choice = this.#choices.get(proposal);
    const part = choice === undefined ? undefined : partly(choice);
    if (choice === undefined || part === undefined) return await this.#accept({ proposal_id: proposal });
    const accepted = acceptance(choice);
    if (accepted === undefined) return await this.reject(proposal);
    const isSeen = diffTabs(proposal).length > 0;
    const meant = isSeen ? "taken" : await choosePart(part);
    if (meant === undefined) return;
    await this.#accept(meant === "all" ? { proposal_id: proposal } : accepted);
    if (isSeen) void vscode.window.showInformationMessage(plain(`Accepting ${part.taken}: ${part.leftOut} stays out; what you take is judged again.`));
  }

  /** With those that only work with it. */
  async acceptHunk(proposal: string, hunk: string): Promise<void> {
    const choice = this.#choices.get(proposal);
    await this.acceptHunks(proposal, choice === undefined ? [hunk] : together(choice, hunk));
  }

  async acceptHunks(proposal: string, hunks: readonly string[]): Promise<void> {
    await this.#accept({ proposal_id: proposal, hunk_ids: hunks });
  }

  /** Asks why, which may be left open, and rejects; nothing happens where the question is dismissed. */
  async reject(proposal: string): Promise<void> {
    const reason = await askReason();
    if (reason === undefined) return;
    await this.#server.execute("kernelopt.proposal.reject", rejection(proposal, reason.code, reason.words));
    this.#choices.delete(proposal);
  }

  /** Why not the others: each candidate of the search that was not offered, as a diff. */
  async othersTried(proposal: string): Promise<void> {
    const { others } = await this.#server.execute<Preview>("kernelopt.proposal.preview", { proposal_id: proposal });
    const other = await chooseOther(others);
    if (other === undefined) return;
    const [before, after] = [vscode.Uri.parse(other.before_uri), vscode.Uri.parse(other.after_uri)];
    await vscode.commands.executeCommand("vscode.diff", before, after, `Not offered: ${other.title}`);
  }

  async explain(proposal: string): Promise<void> {
    const answer = await this.#server.execute<Explained>("kernelopt.proposal.explain", { proposal_id: proposal });
    const isReviewed = vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff;
    await this.#notes.showMarkdown(explanationName(answer.markdown), answer.markdown);
    if (isReviewed) await vscode.commands.executeCommand("workbench.action.focusPreviousGroup"); // where Accept and Reject are
  }

  /** Opens a scratch copy with the change made; saving it has it judged. */
  async edit(proposal: string): Promise<void> {
    await this.#server.execute("kernelopt.proposal.edit", { proposal_id: proposal });
  }

  toggleHunk(proposal: string, hunk: string): void {
    const choice = this.#choices.get(proposal);
    if (choice === undefined) return;
    const changed = toggled(choice, hunk);
    this.#choices.set(proposal, changed);
    this.#threads.update(changed);
  }

  /** The proposal of an editor's address, and the hunk of a thread, that menus hand over. */
  proposalAt(uri: vscode.Uri | undefined): string | undefined {
    const shown = uri ?? activeDiff()?.modified;
    return shown === undefined ? undefined : proposalOf(shown.scheme, shown.path);
  }

  hunkAt(thread: vscode.CommentThread): { readonly proposal: string; readonly hunk: string } | undefined {
    return this.#threads.find(thread);
  }

  /** The open proposal after the one that is shown, in the order of the list. */
  async next(open: readonly Proposal[]): Promise<void> {
    const shown = open.findIndex(({ id }) => id === this.proposalAt(undefined));
    const proposal = open[(shown + 1) % Math.max(open.length, 1)];
    if (proposal === undefined) void vscode.window.showInformationMessage("No proposal is open: run Optimize on a kernel.");
    else await this.preview(proposal.id);
  }

  /** The proposal that is shown, else the one that a person picks; undefined: none. */
  async pick(open: readonly Proposal[]): Promise<string | undefined> {
    return this.proposalAt(undefined) ?? (await chooseProposal(open));
  }

  /** By keyboard alone: which proposal, what to do with it. */
  async choose(open: readonly Proposal[]): Promise<void> {
    const proposal = await this.pick(open);
    if (proposal === undefined) return;
    const known = open.find((other) => other.id === proposal);
    switch (await chooseVerb(known?.title ?? "The proposal", known?.hunk_ids.length ?? 1)) {
      case "preview":
        return await this.preview(proposal);
      case "accept":
        return await this.accept(proposal);
      case "hunks":
        return await this.#chooseHunks(proposal);
      case "reject":
        return await this.reject(proposal);
      case "explain":
        return await this.explain(proposal);
      case "edit":
        return await this.edit(proposal);
      case undefined:
        return;
    }
  }

  /** Closes what is shown of proposals that are no longer open, wherever they were decided; choices stay, as a closed file's are not open. */
  keep(open: ReadonlySet<string>): void {
    for (const proposal of this.#threads.proposals) {
      if (open.has(proposal)) continue;
      this.#threads.hide(proposal);
      void vscode.window.tabGroups.close(diffTabs(proposal));
    }
  }

  async #chooseHunks(proposal: string): Promise<void> {
    const { files } = await this.#server.execute<Preview>("kernelopt.proposal.preview", { proposal_id: proposal });
    const choice = this.#choices.get(proposal) ?? everything(proposal, files);
    const chosen = await chooseHunks(files, new Set(taken(choice).map((hunk) => hunk.id)));
    if (chosen === undefined) return;
    if (chosen.length === 0) await this.reject(proposal);
    else await this.#accept({ proposal_id: proposal, ...(chosen.length === choice.hunks.length ? {} : { hunk_ids: chosen }) });
  }

  async #accept(argument: ProposalArguments): Promise<void> {
    await this.#server.execute<Accepted>("kernelopt.proposal.accept", argument);
    if (argument.hunk_ids === undefined) this.#choices.delete(argument.proposal_id); // a part is judged again, and may be refused
  }
}

async function openDiff(file: FilePreview, claim: string): Promise<void> {
  const after = vscode.Uri.parse(file.proposal_uri);
  const { before, isLive } = await shownBefore(vscode.Uri.parse(file.document_uri), after);
  const title = isLive ? `${file.name} ↔ ${claim}` : `${file.name} before your last edits, which stay ↔ ${claim}`;
  // a tab of its own: in that of a file or notebook that was only looked at so far, it would close it
  await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: false } satisfies vscode.TextDocumentShowOptions);
}

/** The live document; where it has moved on, the text that the proposal was made for: what was typed since is no part of the change. */
async function shownBefore(live: vscode.Uri, after: vscode.Uri): Promise<{ readonly before: vscode.Uri; readonly isLive: boolean }> {
  const made = after.with({ path: beforePath(after.path) });
  const texts = await Promise.all([live, made].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()));
  const isLive = texts[0] === texts[1];
  return { before: isLive ? live : made, isLive };
}

interface DiffTab extends vscode.Tab {
  readonly input: vscode.TabInputTextDiff;
}

function diffTabs(proposal: string): readonly DiffTab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isDiff);
  return tabs.filter(({ input }) => proposalOf(input.modified.scheme, input.modified.path) === proposal);
}

function isDiff(tab: vscode.Tab): tab is DiffTab {
  return tab.input instanceof vscode.TabInputTextDiff;
}

function activeDiff(): vscode.TabInputTextDiff | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab !== undefined && isDiff(tab) ? tab.input : undefined;
}
