/** A folded comment thread on each hunk of a previewed proposal: what the edit is worth, why, for what it holds; take a part, or leave it out. */

import * as vscode from "vscode";

import type { FilePreview, HunkPlace, Preview } from "../protocol/answers.ts";
import { afterLines, type Choice, heading } from "./choice.ts";
import { comment } from "./comment.ts";
import { threadText } from "./thread_text.ts";

const CONTROLLER = "kernelopt.review";

/** A thread, and what it is about. */
interface HunkThread {
  readonly hunk: HunkPlace;
  readonly preview: Preview;
  readonly thread: vscode.CommentThread;
}

export class Threads implements vscode.Disposable {
  readonly #controller = vscode.comments.createCommentController(CONTROLLER, "kernelopt review");
  readonly #shown = new Map<string, readonly HunkThread[]>();

  /** Shows the threads of a choice on the proposal's own texts. */
  show(choice: Choice, preview: Preview): void {
    if (!this.#shown.has(choice.proposal)) this.#shown.set(choice.proposal, preview.files.flatMap((file) => this.#create(file, preview)));
    this.update(choice);
  }

  /** Another choice: what is left out says so. */
  update(choice: Choice): void {
    const threads = this.#shown.get(choice.proposal) ?? [];
    for (const { hunk, preview, thread } of threads) {
      const isTaken = !choice.leftOut.has(hunk.id);
      thread.contextValue = isTaken ? "hunk.taken" : "hunk.leftOut"; // its state stays, as VS Code folds what is resolved
      thread.label = heading(choice, hunk);
      thread.comments = [comment(choice, hunk.id, threadText(choice, hunk.id, preview))];
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

  #create({ hunks, proposal_uri }: FilePreview, preview: Preview): readonly HunkThread[] {
    return hunks.map((hunk) => {
      const { first, last } = afterLines(hunk);
      const thread = this.#controller.createCommentThread(vscode.Uri.parse(proposal_uri), new vscode.Range(first, 0, last, 0), []);
      thread.canReply = false;
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
      return { hunk, preview, thread };
    });
  }
}
