/** Heat of source lines: a bar in the gutter, the number at the end of the line with the cursor, a legend and a switch in the status bar. */

import * as vscode from "vscode";

import { told } from "../boundary.ts";
import type { Server } from "../server/server.ts";
import { type CountedLine, gutterIcon, legend, type Mark, marks, STEPS } from "./lines.ts";

const SHOWN = "kernelopt.heatShown";
/** Several changes within this time are asked about once. */
const PAUSE_MS = 30;
const PRIORITY = 49;
/** Of the gutter's bars; both stand out from their background by more than 3:1, as WCAG asks of what is not text. */
const ON_LIGHT = "#a35f00";
const ON_DARK = "#e8a33d";

export function registerHeat(context: vscode.ExtensionContext, server: Server, log: vscode.LogOutputChannel): void {
  const heat = new Heat(context.workspaceState, server, log);
  context.subscriptions.push(
    heat,
    vscode.commands.registerCommand("kernelopt.ui.toggleHeat", () => told(log, () => heat.toggle())),
  );
}

class Heat implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #server: Server;
  readonly #log: vscode.LogOutputChannel;
  readonly #types: readonly vscode.TextEditorDecorationType[];
  readonly #number = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    after: { color: new vscode.ThemeColor("editorCodeLens.foreground"), margin: "0 0 0 2em" },
  });
  readonly #bar = vscode.window.createStatusBarItem("kernelopt.heat", vscode.StatusBarAlignment.Right, PRIORITY);
  readonly #listening: vscode.Disposable;
  readonly #known = new Map<string, readonly Mark[]>();
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(state: vscode.Memento, server: Server, log: vscode.LogOutputChannel) {
    this.#state = state;
    this.#server = server;
    this.#log = log;
    this.#types = Array.from({ length: STEPS }, (_, index) => decoration(index + 1));
    this.#bar.name = "kernelopt: heat";
    this.#bar.command = "kernelopt.ui.toggleHeat";
    this.#listening = vscode.Disposable.from(
      server.onDidChangeDocuments((uris) => this.#ask(uris)),
      server.onDidChangeState(({ kind }) => kind === "running" || this.#forget()),
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.#show(editor))),
      vscode.window.onDidChangeActiveTextEditor(() => this.#showBar()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.#showNumber(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const uri = document.uri.toString();
        if (contentChanges.length > 0 && this.#known.has(uri)) this.#ask([uri]); // what is predicted of a line does not wait for a pause
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#known.delete(uri.toString())),
    );
  }

  async toggle(): Promise<void> {
    await this.#state.update(SHOWN, !this.#isShown);
    vscode.window.visibleTextEditors.forEach((editor) => this.#show(editor));
    this.#showBar();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
    this.#bar.dispose();
    this.#number.dispose();
    this.#types.forEach((type) => type.dispose());
  }

  get #isShown(): boolean {
    return this.#state.get(SHOWN, true);
  }

  #ask(uris: readonly string[]): void {
    uris.forEach((uri) => this.#waiting.add(uri));
    if (this.#waiting.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const asked = [...this.#waiting];
      this.#waiting.clear();
      asked.forEach((uri) => void this.#load(uri));
    }, PAUSE_MS);
  }

  async #load(uri: string): Promise<void> {
    try {
      this.#known.set(uri, marks(await this.#server.request<readonly CountedLine[]>("kernelopt/lines", { uri })));
    } catch (error) {
      this.#log.debug(`heat of ${uri}: ${String(error)}`);
      return; // the server is on its way out: what is shown goes with its state
    }
    vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === uri).forEach((editor) => this.#show(editor));
    this.#showBar();
  }

  #forget(): void {
    this.#known.clear();
    vscode.window.visibleTextEditors.forEach((editor) => this.#show(editor));
    this.#showBar();
  }

  #show(editor: vscode.TextEditor): void {
    const places = this.#marks(editor);
    this.#types.forEach((type, index) => {
      const mine = places.filter(({ step }) => step === index + 1);
      editor.setDecorations(type, mine.map(({ line }) => new vscode.Range(line, 0, line, 0)));
    });
    this.#showNumber(editor);
  }

  /** At the end of the line with the cursor. */
  #showNumber(editor: vscode.TextEditor): void {
    const here = this.#marks(editor).filter(({ line }) => line === editor.selection.active.line);
    editor.setDecorations(this.#number, here.map(annotation));
  }

  #marks(editor: vscode.TextEditor): readonly Mark[] {
    const found = this.#isShown ? (this.#known.get(editor.document.uri.toString()) ?? []) : [];
    return found.filter(({ line }) => line < editor.document.lineCount);
  }

  /** Only where the active editor has hot lines. */
  #showBar(): void {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const count = uri === undefined ? 0 : (this.#known.get(uri)?.filter(({ step }) => step > 0).length ?? 0);
    if (count === 0) return this.#bar.hide();
    this.#bar.text = this.#isShown ? `$(flame) Heat: ${count}` : "$(flame) Heat: off";
    this.#bar.tooltip = new vscode.MarkdownString(legend(this.#isShown));
    this.#bar.accessibilityInformation = { label: `Heat of ${count} lines, ${this.#isShown ? "shown" : "hidden"}; press to change`, role: "button" };
    this.#bar.show();
  }
}

function decoration(step: number): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    overviewRulerColor: new vscode.ThemeColor("kernelopt.heatRuler"),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    gutterIconSize: "contain",
    light: { gutterIconPath: icon(step, ON_LIGHT) },
    dark: { gutterIconPath: icon(step, ON_DARK) }, // of high-contrast themes, too
  });
}

function icon(step: number, color: string): vscode.Uri {
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(gutterIcon(step, color)).toString("base64")}`);
}

function annotation({ line, text }: Mark): vscode.DecorationOptions {
  return {
    range: new vscode.Range(line, Number.MAX_SAFE_INTEGER, line, Number.MAX_SAFE_INTEGER),
    renderOptions: { after: { contentText: text } },
  };
}
