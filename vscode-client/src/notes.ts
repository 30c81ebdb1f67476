/** Texts of the server that are no documents of their own, shown as read-only ones. */

import * as vscode from "vscode";

const SCHEME = "kernelopt-note";
/** Of the manifest, which gives it word wrap. */
const LANGUAGE = "kernelopt-text";
/** VS Code's own editor that shows Markdown rendered. */
const MARKDOWN_PREVIEW = "vscode.markdown.preview.editor";

export class Notes implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? "This text is gone: ask for it again.";
  }

  /** Markdown, rendered next to the code. */
  async showMarkdown(name: string, text: string): Promise<void> {
    await showMarkdown(this.#put(`${name}.md`, text));
  }

  /** The same, where the keys belong to what is in front: a preview that is opened first and left again would take them later. */
  async showMarkdownAside(name: string, text: string): Promise<void> {
    const where: vscode.TextDocumentShowOptions = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    await vscode.commands.executeCommand("vscode.openWith", this.#put(`${name}.md`, text), MARKDOWN_PREVIEW, where);
  }

  /** Long lines wrap, as no note is code. */
  async showText(name: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#put(`${name}.txt`, text));
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, LANGUAGE), { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  #put(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name.replaceAll("/", "∕")}` });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    return uri;
  }
}

/** Any Markdown document, rendered next to the code. */
async function showMarkdown(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
}
