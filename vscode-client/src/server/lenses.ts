/**
 * Lenses that the server said are others, until VS Code has asked for them.
 *
 * VS Code puts a refresh off by a quarter of a second or more and drops it where the editor loses the focus meanwhile, as to a note or a diff
 * (`codelensController.ts`: `onDidBlurEditorText`); nothing asks again before the editor gets the focus back.
 */

import * as vscode from "vscode";
import { CodeLensRequest, type LanguageClient } from "vscode-languageclient/node";

/** Each longer than the one before: a refresh that VS Code has put off starts to wait anew when it is told again. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];

export class Lenses implements vscode.Disposable {
  readonly #client: () => LanguageClient;
  readonly #owed = new Set<string>();
  #again: NodeJS.Timeout | undefined;

  constructor(client: () => LanguageClient) {
    this.#client = client;
  }

  /** The server has other lenses for these documents; the language client tells VS Code so once. */
  changed(uris: readonly string[]): void {
    const shown = new Set(visible().map(({ uri }) => uri.toString()));
    uris.filter((uri) => shown.has(uri)).forEach((uri) => this.#owed.add(uri));
    if (this.#owed.size > 0) this.#wait(0);
  }

  /** VS Code asks for the lenses of a document. */
  asked({ uri }: vscode.TextDocument): void {
    this.#owed.delete(uri.toString());
  }

  dispose(): void {
    clearTimeout(this.#again);
    this.#owed.clear();
  }

  #wait(turn: number): void {
    clearTimeout(this.#again);
    const pause = PAUSES_MS[turn];
    if (pause === undefined) this.#owed.clear(); // lenses are off, or the document is no longer to be seen
    else this.#again = setTimeout(() => this.#tell(turn), pause);
  }

  #tell(turn: number): void {
    if (this.#owed.size === 0) return;
    const lenses = this.#client().getFeature(CodeLensRequest.method);
    const owed = visible().filter(({ uri }) => this.#owed.has(uri.toString()));
    new Set(owed.map((document) => lenses.getProvider(document))).forEach((provider) => provider?.onDidChangeCodeLensEmitter.fire());
    this.#wait(turn + 1);
  }
}

function visible(): readonly vscode.TextDocument[] {
  return vscode.window.visibleTextEditors.map(({ document }) => document);
}
