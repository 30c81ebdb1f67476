/** The profile panel: one for each document, filled by the server's report and refreshed when that changes. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";

import { told } from "../boundary.ts";
import { plain } from "../plain.ts";
import type { KernelOptEvent } from "../protocol/events.ts";
import type { Report } from "../protocol/report.ts";
import type { Next } from "../server/connection.ts";
import type { Server } from "../server/server.ts";
import type { FromPanel, ToPanel } from "./messages.ts";
import { newNonce } from "./nonce.ts";
import { escaped } from "./render/markup.ts";
import { PROFILE_TOOLBAR, standaloneDocument, webviewDocument } from "./render/page.ts";
import { body } from "./render/report.ts";

const TYPE = "kernelopt.profile";
/** Several changes within this time are shown at once. */
const REFRESH_PAUSE_MS = 150;

export function registerPanel(context: vscode.ExtensionContext, server: Server, log: vscode.LogOutputChannel): Opening {
  const panels = new ProfilePanels(context.extensionUri, server);
  const onTold = (run: (asked?: Asked) => void) => (asked?: Asked) => told(log, () => run(asked));
  context.subscriptions.push(
    panels,
    vscode.commands.registerCommand("kernelopt.ui.showProfile", onTold((asked) => panels.showFor(asked))),
    vscode.commands.registerCommand("kernelopt.ui.exportProfileHtml", onTold(() => panels.draw("html"))),
    vscode.commands.registerCommand("kernelopt.ui.exportProfilePng", onTold(() => panels.draw("png"))),
    vscode.window.registerWebviewPanelSerializer(TYPE, {
      deserializeWebviewPanel: async (panel, state: { readonly uri?: string } | undefined) => panels.restore(panel, state?.uri),
    }),
  );
  return (next) => panels.opening(next);
}

/** A way to the server that opens the panel once a profile that a person asked for has ended. */
export type Opening = (next: Next) => Next;

/** Whose profile: what a kernel command takes, or the document that an editor's title belongs to. */
type Asked = { readonly uri?: string } | vscode.Uri;

class ProfilePanels implements vscode.Disposable {
  readonly #folder: vscode.Uri;
  readonly #server: Server;
  readonly #open = new Map<string, ProfilePanel>();
  readonly #awaited = new Map<string, string>();
  readonly #listening: vscode.Disposable;

  constructor(extension: vscode.Uri, server: Server) {
    this.#folder = vscode.Uri.joinPath(extension, "dist");
    this.#server = server;
    this.#listening = vscode.Disposable.from(
      server.onDidChangeDocuments((uris) => uris.forEach((uri) => this.#open.get(uri)?.refreshSoon())),
      server.onDidChangeState(() => this.#open.forEach((panel) => panel.refreshSoon())),
      server.onEvent((event) => event.event === "job_ended" && this.#ended(event as JobEnded)),
    );
  }

  opening(next: Next): Next {
    return async (command, values) => {
      const answer = await next(command, values);
      const [argument] = values;
      if (command === "kernelopt.profile" && isJob(answer) && isAsked(argument)) this.#awaited.set(answer.job_id, argument.uri);
      return answer;
    };
  }

  /** Of what a lens, a tree item or the editor's title names; else of the active editor. */
  showFor(asked: Asked | undefined): void {
    const named = asked instanceof vscode.Uri ? asked : asked?.uri === undefined ? undefined : vscode.Uri.parse(asked.uri);
    const uri = named ?? vscode.window.activeTextEditor?.document.uri;
    if (uri === undefined) {
      void vscode.window.showInformationMessage("Open a CUDA file to see its profile.");
      return;
    }
    const shown = this.#open.get(uri.toString());
    if (shown !== undefined) return shown.reveal();
    this.#create(uri, false);
  }

  restore(panel: vscode.WebviewPanel, uri: string | undefined): void {
    if (uri === undefined) panel.dispose();
    else this.#adopt(panel, vscode.Uri.parse(uri));
  }

  draw(as: "html" | "png"): void {
    const active = [...this.#open.values()].find((panel) => panel.isActive) ?? [...this.#open.values()].at(-1);
    if (active === undefined) void vscode.window.showInformationMessage("Open the profile panel first: kernelopt: Show Profile.");
    else active.draw(as);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #ended({ job, exit_code }: JobEnded): void {
    const uri = this.#awaited.get(job);
    this.#awaited.delete(job);
    if (uri !== undefined && exit_code === 0 && !this.#open.has(uri)) this.#create(vscode.Uri.parse(uri), true);
  }

  #create(uri: vscode.Uri, preserveFocus: boolean): void {
    this.#adopt(vscode.window.createWebviewPanel(TYPE, "Profile", { viewColumn: vscode.ViewColumn.Beside, preserveFocus }), uri);
  }

  #adopt(panel: vscode.WebviewPanel, uri: vscode.Uri): void {
    const key = uri.toString();
    this.#open.set(key, new ProfilePanel(panel, uri, this.#folder, this.#server));
    panel.onDidDispose(() => this.#open.delete(key));
  }
}

interface JobEnded extends KernelOptEvent {
  readonly job: string;
  readonly exit_code: number;
}

function isJob(answer: unknown): answer is { readonly job_id: string } {
  return typeof answer === "object" && answer !== null && "job_id" in answer && typeof answer.job_id === "string";
}

/** Whether it asks about a CUDA document: what is found of a PyTorch task stands over its class. */
function isAsked(argument: unknown): argument is { readonly uri: string } {
  if (typeof argument !== "object" || argument === null || "op" in argument) return false;
  return "uri" in argument && typeof argument.uri === "string";
}

class ProfilePanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #uri: vscode.Uri;
  readonly #folder: vscode.Uri;
  readonly #server: Server;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(panel: vscode.WebviewPanel, uri: vscode.Uri, folder: vscode.Uri, server: Server) {
    this.#panel = panel;
    this.#uri = uri;
    this.#folder = folder;
    this.#server = server;
    panel.title = `Profile: ${this.#name}`;
    panel.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    panel.webview.onDidReceiveMessage((message: FromPanel) => void this.#take(message));
    panel.onDidDispose(() => {
      clearTimeout(this.#timer);
      this.#isClosed = true;
    });
    panel.webview.html = webviewDocument({
      title: panel.title,
      toolbar: PROFILE_TOOLBAR,
      nonce: newNonce(),
      styleUri: panel.webview.asWebviewUri(vscode.Uri.joinPath(folder, "panel.css")).toString(),
      scriptUri: panel.webview.asWebviewUri(vscode.Uri.joinPath(folder, "panel.js")).toString(),
    });
  }

  get isActive(): boolean {
    return this.#panel.active;
  }

  reveal(): void {
    this.#panel.reveal();
  }

  refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), REFRESH_PAUSE_MS);
  }

  draw(as: "html" | "png"): void {
    this.#tell({ kind: "draw", as });
  }

  get #name(): string {
    return this.#uri.path.split("/").at(-1) ?? this.#uri.path;
  }

  async #take(message: FromPanel): Promise<void> {
    switch (message.kind) {
      case "ready":
        return await this.#refresh();
      case "goTo":
        return await this.#goTo(message.line);
      case "profile":
        return await this.#profile();
      case "drawn":
        return message.as === "png" ? await this.#save("png", Buffer.from(message.data, "base64")) : await this.#saveHtml(message);
      case "failed":
        void vscode.window.showErrorMessage(plain(`The profile could not be drawn: ${message.what}`));
    }
  }

  async #refresh(): Promise<void> {
    const text = await this.#body();
    if (!this.#isClosed) this.#tell({ kind: "show", uri: this.#uri.toString(), title: this.#panel.title, body: text });
  }

  async #body(): Promise<string> {
    try {
      return body(await this.#server.request<readonly Report[]>("kernelopt/report", { uri: this.#uri.toString() })).text;
    } catch (error) {
      return `<p class="empty" role="status">The profile cannot be shown: ${escaped(error instanceof Error ? error.message : String(error))}.</p>`;
    }
  }

  async #profile(): Promise<void> {
    try {
      await this.#server.execute("kernelopt.profile", { uri: this.#uri.toString() });
    } catch (error) {
      void vscode.window.showWarningMessage(plain(error instanceof Error ? error.message : String(error)));
    }
  }

  async #goTo(line: number): Promise<void> {
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === this.#uri.toString());
    const place = { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One, selection: new vscode.Range(line, 0, line, 0) };
    await vscode.commands.executeCommand("vscode.open", this.#uri, place); // also finds cells of notebooks
  }

  async #saveHtml(drawn: Extract<FromPanel, { as: "html" }>): Promise<void> {
    const style = Buffer.from(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#folder, "panel.css"))).toString("utf8");
    const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("base64");
    await this.#save("html", Buffer.from(standaloneDocument({ ...drawn, title: this.#panel.title, style, sha256 }), "utf8"));
  }

  async #save(suffix: "html" | "png", data: Uint8Array): Promise<void> {
    const folder = this.#uri.scheme === "file" ? vscode.Uri.joinPath(this.#uri, "..") : vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = `${this.#name}.profile.${suffix}`;
    const suggested = folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) };
    const target = await vscode.window.showSaveDialog({ ...suggested, title: "Export Profile", filters: { [suffix.toUpperCase()]: [suffix] } });
    if (target === undefined) return;
    await vscode.workspace.fs.writeFile(target, data);
    const chosen = await vscode.window.showInformationMessage(plain(`Saved ${target.path.split("/").at(-1)}.`), "Open");
    if (chosen === "Open") await vscode.env.openExternal(target);
  }

  #tell(message: ToPanel): void {
    void this.#panel.webview.postMessage(message);
  }
}
