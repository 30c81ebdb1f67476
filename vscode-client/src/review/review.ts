/**
 * The review of proposals: hunks in the live file, a diff with it, a thread on each hunk, reasons for a reject.
 *
 * Whether a proposal is open, right or accepted is the server's business; here is only which hunks a person has kept or left out so far.
 */

import * as vscode from "vscode";

import type { Notes } from "../notes.ts";
import { plain } from "../plain.ts";
import type { Accepted, Explained, Preview, Proposal } from "../protocol/answers.ts";
import type { Server } from "../server/server.ts";
import {
  acceptance,
  type Choice,
  everything,
  inheriting,
  isDecided,
  keeping,
  leavesOutAsMuch,
  partly,
  proposalOf,
  skipping,
  taken,
  together,
  toggled,
} from "./choice.ts";
import { Diffs } from "./diffs.ts";
import { type HunkId, LiveHunks } from "./live.ts";
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
  readonly #log: vscode.LogOutputChannel;
  readonly #threads = new Threads();
  readonly #diffs = new Diffs();
  readonly #live = new LiveHunks((proposal) => this.#diffs.tabs(proposal).length > 0);
  readonly #choices = new Map<string, Choice>();

  #open: ReadonlySet<string> = new Set();

  constructor(server: Server, notes: Notes, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#notes = notes;
    this.#log = log;
  }

  dispose(): void {
    this.#threads.dispose();
    this.#live.dispose();
    this.#diffs.dispose();
  }

  /** Opens the diff of the live documents and the proposal. */
  async preview(proposal: string): Promise<void> {
    const { choice, preview } = await this.#ask(proposal);
    const [claim = "proposal"] = preview.about;
    await this.#diffs.open(choice.proposal, preview.files, claim);
    this.#threads.show(choice, preview);
  }

  /** Accepts what is not left out, and says where that is not all; asks first where the person does not see what is left out. */
  async accept(proposal: string): Promise<void> {
    const choice = this.#choices.get(proposal);
    const part = choice === undefined ? undefined : partly(choice);
    if (choice === undefined || part === undefined) return await this.#accept({ proposal_id: proposal });
    const accepted = acceptance(choice);
    if (accepted === undefined) return await this.reject(proposal);
    const isSeen = this.#diffs.tabs(proposal).length > 0;
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
    const name = explanationName(answer.markdown);
    if (this.#diffs.shown === undefined) await this.#notes.showMarkdown(name, answer.markdown);
    else await this.#notes.showMarkdownAside(name, answer.markdown); // Accept and Reject are keys of the diff
  }

  /** Opens a scratch copy with the change made; saving it has it judged. */
  async edit(proposal: string): Promise<void> {
    await this.#server.execute("kernelopt.proposal.edit", { proposal_id: proposal });
  }

  toggleHunk(proposal: string, hunk: string): void {
    const choice = this.#choices.get(proposal);
    if (choice === undefined) return;
    this.#chose(toggled(choice, hunk));
  }

  /** Says Keep to a hunk: it goes in, in one edit with all that is kept, once every hunk is kept or skipped. */
  async keepHunk(proposal: string, hunk: string): Promise<void> {
    const choice = this.#choices.get(proposal);
    if (choice !== undefined) await this.#said(keeping(choice, hunk));
  }

  /** Says Skip to a hunk: what is left is judged, and offered in the proposal's place; a proposal of which all is skipped is rejected. */
  async skipHunk(proposal: string, hunk: string): Promise<void> {
    const choice = this.#choices.get(proposal);
    if (choice !== undefined) await this.#said(skipping(choice, hunk));
  }

  /** By a key in the live file: the hunk at the cursor; elsewhere the key only goes to the next one. */
  async atCursor(act: (proposal: string, hunk: string) => Promise<void>): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const here = this.#live.at(editor);
    if (here !== undefined) await act(here.proposal, here.hunk);
    this.#live.goToNext(editor);
  }

  /** The proposal of an editor's address, else the one whose diff is in front. */
  proposalAt(uri: vscode.Uri | undefined): string | undefined {
    return (uri === undefined ? undefined : proposalOf(uri)) ?? this.#diffs.shown;
  }

  /** The hunk of a thread that menus hand over. */
  hunkAt(thread: vscode.CommentThread): HunkId | undefined {
    return this.#threads.find(thread) ?? this.#live.find(thread);
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

  /**
   * Shows what is newly open in the live files, and closes what is shown of proposals that are no longer open, wherever they were decided;
   * choices stay, as a closed file's are not open.
   */
  keep(open: ReadonlySet<string>): void {
    const fresh = [...open].filter((proposal) => !this.#open.has(proposal));
    for (const proposal of this.#open) if (!open.has(proposal)) this.#live.remove(proposal);
    this.#open = open;
    for (const proposal of fresh) void this.#showLive(proposal);
    for (const proposal of this.#threads.proposals) {
      if (open.has(proposal)) continue;
      this.#threads.hide(proposal);
      void this.#diffs.close(proposal);
    }
  }

  /** What the server says of a proposal, and what a person has chosen of it so far. */
  async #ask(proposal: string): Promise<{ readonly choice: Choice; readonly preview: Preview }> {
    const preview = await this.#server.execute<Preview>("kernelopt.proposal.preview", { proposal_id: proposal });
    const fresh = everything(preview.proposal_id, preview.files, preview.choices);
    const choice = this.#choices.get(preview.proposal_id) ?? inheriting(fresh, this.#choices.values());
    this.#choices.set(choice.proposal, choice);
    return { choice, preview };
  }

  async #showLive(proposal: string): Promise<void> {
    try {
      const { preview } = await this.#ask(proposal);
      await this.#live.add(preview, () => (this.#open.has(proposal) ? this.#choices.get(proposal) : undefined));
    } catch (error) {
      this.#log.debug(`${proposal} in the live file: ${String(error)}`); // it was decided meanwhile, or the server is on its way out
    }
  }

  #chose(choice: Choice): void {
    this.#choices.set(choice.proposal, choice);
    this.#threads.update(choice);
    this.#live.update(choice);
  }

  async #said(choice: Choice): Promise<void> {
    const before = this.#choices.get(choice.proposal);
    if (!isDecided(choice)) {
      this.#chose(choice);
      if (before === undefined || !leavesOutAsMuch(before, choice)) await this.#judgeRest(choice);
      return;
    }
    this.#chose({ ...choice, kept: new Set() }); // what is accepted may be undone, or judged again first
    const accepted = acceptance(choice);
    if (accepted === undefined) await this.reject(choice.proposal);
    else await this.#accept(accepted);
  }

  /** Where nothing may run, what is left stays as it is offered: it is judged once it is accepted. */
  async #judgeRest({ leftOut, proposal }: Choice): Promise<void> {
    try {
      await this.#server.execute("kernelopt.proposal.skip", { proposal_id: proposal, hunk_ids: [...leftOut] });
    } catch (error) {
      this.#log.info(`what is left of ${proposal} is not judged yet: ${String(error)}`);
    }
  }

  async #chooseHunks(proposal: string): Promise<void> {
    const { choice, preview } = await this.#ask(proposal);
    const chosen = await chooseHunks(preview.files, new Set(taken(choice).map((hunk) => hunk.id)));
    if (chosen === undefined) return;
    if (chosen.length === 0) await this.reject(proposal);
    else await this.#accept({ proposal_id: proposal, ...(chosen.length === choice.hunks.length ? {} : { hunk_ids: chosen }) });
  }

  async #accept(argument: ProposalArguments): Promise<void> {
    await this.#server.execute<Accepted>("kernelopt.proposal.accept", argument);
    if (argument.hunk_ids === undefined) this.#choices.delete(argument.proposal_id); // a part is judged again, and may be refused
  }
}
