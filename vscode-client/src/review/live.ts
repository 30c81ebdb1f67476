/**
 * Open proposals in the live files: lines that would go are tinted, and a folded thread on each hunk shows what would come, with Keep and Skip.
 *
 * What was typed since moves them along; where it touches a hunk, that is no longer shown. While the proposal's diff is open, nothing is.
 */

import * as vscode from "vscode";

import type { FilePreview, HunkPlace, Preview } from "../protocol/answers.ts";
import type { Choice } from "./choice.ts";
import { comment } from "./comment.ts";
import { linesOf, livePlace, type LivePlace, newLines } from "./place.ts";
import { liveHeading, liveText } from "./thread_text.ts";

const CONTROLLER = "kernelopt.live";
/** Whether the active editor shows hunks, for keys. */
const HAS_HUNKS = "kernelopt.hasHunks";

export interface HunkId {
  readonly proposal: string;
  readonly hunk: string;
}

interface File {
  readonly uri: string;
  readonly hunks: readonly HunkPlace[];
  /** The text that the proposal was made for, and the proposal's own. */
  readonly made: readonly string[];
  readonly after: readonly string[];
}

interface Offer {
  readonly preview: Preview;
  readonly files: readonly File[];
  readonly threads: Map<string, vscode.CommentThread>;
  choice: Choice;
}

/** A hunk that is shown, and where. */
interface Shown extends HunkId {
  readonly range: vscode.Range;
}

export class LiveHunks implements vscode.Disposable {
  readonly #isInDiff: (proposal: string) => boolean;
  readonly #controller = vscode.comments.createCommentController(CONTROLLER, "kernelopt proposals");
  readonly #tint = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("kernelopt.lineToGo"),
    overviewRulerColor: new vscode.ThemeColor("kernelopt.lineToGo"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  readonly #offers = new Map<string, Offer>();
  readonly #listening: vscode.Disposable;

  constructor(isInDiff: (proposal: string) => boolean) {
    this.#isInDiff = isInDiff;
    this.#listening = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(() => this.#show()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tellKeys()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#show()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#isOffered(document) && this.#show()),
    );
  }

  dispose(): void {
    this.#listening.dispose();
    this.#tint.dispose();
    this.#controller.dispose();
  }

  /** Shows a proposal, if `chosen` says that it is still to be shown once its texts are read. */
  async add(preview: Preview, chosen: () => Choice | undefined): Promise<void> {
    const files = await Promise.all(preview.files.map(read));
    const choice = chosen();
    if (choice === undefined || this.#offers.has(choice.proposal)) return;
    this.#offers.set(choice.proposal, { preview, files, threads: new Map(), choice });
    this.#show();
  }

  /** Another choice: a thread says what was said to its hunk, and folds. */
  update(choice: Choice): void {
    const offer = this.#offers.get(choice.proposal);
    if (offer === undefined) return;
    const before = offer.choice;
    offer.choice = choice;
    for (const { id } of choice.hunks) {
      if (before.kept.has(id) !== choice.kept.has(id) || before.leftOut.has(id) !== choice.leftOut.has(id)) hide(offer, id);
    }
    for (const file of offer.files) this.#rewrite(offer, file);
    this.#show();
  }

  remove(proposal: string): void {
    this.#offers.get(proposal)?.threads.forEach((thread) => thread.dispose());
    this.#offers.delete(proposal);
    this.#show();
  }

  find(thread: vscode.CommentThread): HunkId | undefined {
    for (const [proposal, { threads }] of this.#offers) {
      for (const [hunk, other] of threads) if (other === thread) return { proposal, hunk };
    }
    return undefined;
  }

  /** The hunk at the cursor of an editor. */
  at({ document, selection }: vscode.TextEditor): HunkId | undefined {
    return this.#shownIn(document).find(({ range }) => range.start.line <= selection.active.line && selection.active.line <= range.end.line);
  }

  /** Takes the cursor to the next hunk that is not decided, unfolded; from the last to the first. */
  goToNext(editor: vscode.TextEditor): void {
    const open = this.#shownIn(editor.document).filter(({ proposal, hunk }) => !this.#isSaid(proposal, hunk));
    const next = open.find(({ range }) => range.start.line > editor.selection.active.line) ?? open[0];
    if (next === undefined) return;
    editor.selection = new vscode.Selection(next.range.start, next.range.start);
    editor.revealRange(next.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    const thread = this.#offers.get(next.proposal)?.threads.get(next.hunk);
    if (thread !== undefined) thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  #show(): void {
    for (const offer of this.#offers.values()) for (const file of offer.files) this.#showThreads(offer, file);
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.#tint, this.#tinted(editor.document));
    this.#tellKeys();
  }

  #showThreads(offer: Offer, file: File): void {
    const document = documentOf(file);
    const isShown = document !== undefined && !this.#isInDiff(offer.choice.proposal);
    for (const hunk of file.hunks) {
      const place = isShown ? livePlace(hunk, file.made, linesOf(document.getText())) : undefined;
      if (document === undefined || place === undefined) {
        hide(offer, hunk.id);
        continue;
      }
      const thread = offer.threads.get(hunk.id) ?? this.#create(offer, file, hunk, document);
      const range = rangeOf(place);
      if (thread.range?.isEqual(range) !== true) thread.range = range;
      offer.threads.set(hunk.id, thread);
    }
  }

  /** Has the threads that stay say what the choice is now. */
  #rewrite(offer: Offer, file: File): void {
    const document = documentOf(file);
    if (document === undefined) return;
    for (const hunk of file.hunks) {
      const thread = offer.threads.get(hunk.id);
      if (thread !== undefined) thread.comments = [commentOn(offer, file, hunk, document)];
    }
  }

  #create(offer: Offer, file: File, hunk: HunkPlace, document: vscode.TextDocument): vscode.CommentThread {
    const thread = this.#controller.createCommentThread(document.uri, new vscode.Range(0, 0, 0, 0), [commentOn(offer, file, hunk, document)]);
    thread.canReply = false;
    thread.label = liveHeading(offer.choice, hunk);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    return thread;
  }

  #shownIn(document: vscode.TextDocument): readonly Shown[] {
    const uri = document.uri.toString();
    return [...this.#offers]
      .flatMap(([proposal, { files, threads }]) =>
        files
          .filter((file) => file.uri === uri)
          .flatMap(({ hunks }) => hunks)
          .flatMap(({ id }) => {
            const range = threads.get(id)?.range;
            return range === undefined ? [] : [{ proposal, hunk: id, range }];
          }),
      )
      .sort((a, b) => a.range.start.line - b.range.start.line);
  }

  #tinted(document: vscode.TextDocument): readonly vscode.Range[] {
    return this.#shownIn(document).flatMap(({ proposal, hunk, range }) => {
      const offer = this.#offers.get(proposal);
      const removes = offer?.choice.hunks.some(({ id, before_count }) => id === hunk && before_count > 0);
      return removes === true && offer?.choice.leftOut.has(hunk) === false ? [range] : [];
    });
  }

  #isSaid(proposal: string, hunk: string): boolean {
    const choice = this.#offers.get(proposal)?.choice;
    return choice !== undefined && (choice.kept.has(hunk) || choice.leftOut.has(hunk));
  }

  #isOffered({ uri }: vscode.TextDocument): boolean {
    return [...this.#offers.values()].some(({ files }) => files.some((file) => file.uri === uri.toString()));
  }

  #tellKeys(): void {
    const active = vscode.window.activeTextEditor;
    void vscode.commands.executeCommand("setContext", HAS_HUNKS, active !== undefined && this.#shownIn(active.document).length > 0);
  }
}

function commentOn({ choice, preview }: Offer, file: File, hunk: HunkPlace, { languageId }: vscode.TextDocument): vscode.Comment {
  const code = { title: title(hunk), language: languageId, lines: newLines(hunk, file.after) };
  return comment(choice, hunk.id, liveText(choice, hunk.id, preview), code);
}

function hide({ threads }: Offer, hunk: string): void {
  threads.get(hunk)?.dispose();
  threads.delete(hunk);
}

/** Of a CUDA text that is only a part of its document, the live file shows nothing: its address is not the document's. */
async function read({ before_uri, document_uri, hunks, proposal_uri }: FilePreview): Promise<File> {
  const sides = [before_uri, proposal_uri].map((uri) => vscode.Uri.parse(uri));
  const [before, proposed] = await Promise.all(sides.map(async (uri) => linesOf((await vscode.workspace.openTextDocument(uri)).getText())));
  return { uri: vscode.Uri.parse(document_uri).toString(), hunks, made: before ?? [], after: proposed ?? [] };
}

function documentOf({ uri }: File): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.scheme !== "kernelopt" && document.uri.toString() === uri);
}

/** Lines to go; of a hunk that only inserts, the line that it comes after. */
function rangeOf({ line, count }: LivePlace): vscode.Range {
  const first = count === 0 ? Math.max(0, line - 1) : line;
  return new vscode.Range(first, 0, first + Math.max(count, 1) - 1, 0);
}

function title({ after_count, before_count, before_line }: HunkPlace): string {
  if (after_count === 0) return "The tinted lines go.";
  if (before_count > 0) return "Instead of the tinted lines:";
  return before_line === 1 ? "Inserted above this line:" : "Inserted below this line:";
}
