/** The page of what was learned: one panel, filled by the server's memory and looked up again when a job has ended. */

import * as vscode from "vscode";

import { told } from "../boundary.ts";
import type { LearnedPage } from "../protocol/learned.ts";
import type { Server } from "../server/server.ts";
import type { FromPanel, ToPanel } from "./messages.ts";
import { newNonce } from "./nonce.ts";
import { learned } from "./render/learned.ts";
import { escaped, html } from "./render/markup.ts";
import { webviewDocument } from "./render/page.ts";

const TYPE = "kernelopt.memory";
const TITLE = "What Was Learned";

export function registerMemoryPage(context: vscode.ExtensionContext, server: Server, log: vscode.LogOutputChannel): void {
  const page = new MemoryPage(context.extensionUri, server);
  context.subscriptions.push(
    page,
    vscode.commands.registerCommand("kernelopt.ui.showMemory", () => told(log, () => page.show())),
    vscode.window.registerWebviewPanelSerializer(TYPE, { deserializeWebviewPanel: async (panel) => page.adopt(panel) }),
  );
}

class MemoryPage implements vscode.Disposable {
  readonly #folder: vscode.Uri;
  readonly #server: Server;
  readonly #listening: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;

  constructor(extension: vscode.Uri, server: Server) {
    this.#folder = vscode.Uri.joinPath(extension, "dist");
    this.#server = server;
    this.#listening = vscode.Disposable.from(
      server.onDidChangeState(() => void this.#refresh()),
      server.onEvent((event) => event.event === "job_ended" && void this.#refresh()),
    );
  }

  async show(): Promise<void> {
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      return await this.#refresh();
    }
    await this.#server.start();
    this.adopt(vscode.window.createWebviewPanel(TYPE, TITLE, vscode.ViewColumn.Active));
  }

  adopt(panel: vscode.WebviewPanel): void {
    this.#panel = panel;
    panel.title = TITLE;
    panel.webview.options = { enableScripts: true, localResourceRoots: [this.#folder] };
    panel.webview.onDidReceiveMessage((message: FromPanel) => message.kind === "ready" && void this.#refresh());
    panel.onDidDispose(() => (this.#panel = undefined));
    panel.webview.html = webviewDocument({
      title: TITLE,
      toolbar: html``,
      nonce: newNonce(),
      styleUri: panel.webview.asWebviewUri(vscode.Uri.joinPath(this.#folder, "panel.css")).toString(),
      scriptUri: panel.webview.asWebviewUri(vscode.Uri.joinPath(this.#folder, "panel.js")).toString(),
    });
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async #refresh(): Promise<void> {
    if (this.#panel === undefined) return;
    const body = await this.#body();
    const shown: ToPanel = { kind: "show", uri: "", title: TITLE, body };
    void this.#panel?.webview.postMessage(shown); // it may have been closed by now
  }

  async #body(): Promise<string> {
    try {
      return learned(await this.#server.request<LearnedPage>("kernelopt/memory", {})).text;
    } catch (error) {
      return `<p class="empty" role="status">What was learned cannot be shown: ${escaped(error instanceof Error ? error.message : String(error))}.</p>`;
    }
  }
}
