/** A comment thread on each hunk of a previewed proposal: take it alone, or leave it out. */

import * as vscode from "vscode";

import type { FilePreview, HunkPlace } from "../protocol/answers.ts";
import { type Choice, afterLines, heading, numbered } from "./choice.ts";

const CONTROLLER = "kernelopt.review";

/** A thread, and what it is about. */
interface HunkThread {
  readonly hunk: HunkPlace;
  readonly thread: vscode.CommentThread;
}

export class Threads implements vscode.Disposable {
  readonly #controller = vscode.comments.createCommentController(CONTROLLER, "kernelopt review");
  readonly #shown = new Map<string, readonly HunkThread[]>();

  /** Shows the threads of a choice on the proposal's own texts. */
  show(choice: Choice, files: readonly FilePreview[]): void {
    if (!this.#shown.has(choice.proposal)) this.#shown.set(choice.proposal, files.flatMap((file) => this.#create(file)));
    this.update(choice);
  }

  /** Another choice: what is left out says so. */
  update(choice: Choice): void {
    const threads = this.#shown.get(choice.proposal) ?? [];
    for (const { hunk, thread } of threads) {
      const isTaken = !choice.leftOut.has(hunk.id);
      thread.contextValue = isTaken ? "hunk.taken" : "hunk.leftOut"; // its state stays, as VS Code folds what is resolved
      thread.label = heading(choice, hunk);
      thread.comments = [comment(choice, hunk.id, isTaken)];
    }
  }

  hide(proposal: string): void {
    this.#shown.get(proposal)?.forEach(({ thread }) => thread.dispose());
    this.#shown.delete(proposal);
  }

  /** The proposals that have threads. */
  get proposals(): readonly string[] {
    return [...this.#shown.keys()];
  }

  /** The proposal and hunk of a thread that a menu hands over. */
  find(thread: vscode.CommentThread): { readonly proposal: string; readonly hunk: string } | undefined {
    for (const [proposal, threads] of this.#shown) {
      const found = threads.find((other) => other.thread === thread);
      if (found !== undefined) return { proposal, hunk: found.hunk.id };
    }
    return undefined;
  }

  dispose(): void {
    this.#controller.dispose();
  }

  #create({ hunks, proposal_uri }: FilePreview): readonly HunkThread[] {
    return hunks.map((hunk) => {
      const { first, last } = afterLines(hunk);
      const thread = this.#controller.createCommentThread(vscode.Uri.parse(proposal_uri), new vscode.Range(first, 0, last, 0), []);
      thread.canReply = false;
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
      return { hunk, thread };
    });
  }
}

/** What the comment's author is called also stands in VS Code's list of comments, which shows no label. */
function comment({ proposal, hunks }: Choice, hunk: string, isTaken: boolean): vscode.Comment {
  const link = (title: string, command: string): string =>
    `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([{ proposal_id: proposal, hunk_id: hunk }]))})`;
  const only = link("Accept only this hunk", "kernelopt.ui.acceptHunk");
  const other = isTaken ? link("Leave it out", "kernelopt.ui.leaveHunkOut") : link("Take it again", "kernelopt.ui.takeHunk");
  const body = new vscode.MarkdownString(`${only} · ${other}`);
  body.isTrusted = { enabledCommands: ["kernelopt.ui.acceptHunk", "kernelopt.ui.leaveHunkOut", "kernelopt.ui.takeHunk"] };
  return { body, mode: vscode.CommentMode.Preview, author: { name: numbered(hunks, hunk) } };
}
