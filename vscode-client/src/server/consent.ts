/** Whether the user's own program may run: asked over everything only after a person's own click, else in the status bar until it is answered. */

import * as vscode from "vscode";

import { plain } from "../plain.ts";
import { type ConsentAsked, type ConsentAnswer, consentQuestion, waitingText } from "./consent_words.ts";

const PRIORITY = 91;

interface Pending {
  readonly asked: ConsentAsked;
  /** Each request of the server about this run; they are answered together. */
  readonly answer: ((answer: ConsentAnswer | undefined) => void)[];
}

export class Consents implements vscode.Disposable {
  readonly #pending = new Map<string, Pending>();
  readonly #item = vscode.window.createStatusBarItem("kernelopt.consent", vscode.StatusBarAlignment.Left, PRIORITY);

  constructor() {
    this.#item.name = "kernelopt: waiting for your OK";
    this.#item.command = "kernelopt.ui.answerConsent";
    this.#item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  }

  /** Answers the server's request; undefined where a person puts it off. */
  async ask(asked: ConsentAsked, token: vscode.CancellationToken): Promise<ConsentAnswer | undefined> {
    const pending = this.#pending.get(asked.id) ?? { asked, answer: [] };
    this.#pending.set(asked.id, pending);
    const answered = new Promise<ConsentAnswer | undefined>((resolve) => pending.answer.push(resolve));
    token.onCancellationRequested(() => this.#settle(asked.id, undefined));
    this.#show();
    if (asked.is_asked_for) {
      const answer = await this.#modal(pending);
      if (answer === undefined) return this.#putOff(pending, answered);
    }
    return await answered;
  }

  /** The status bar's click. */
  async answerFirst(): Promise<void> {
    const [pending] = this.#pending.values();
    if (pending !== undefined) await this.#modal(pending);
  }

  /** The server is gone: nothing waits for an answer any more. */
  forget(): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id, undefined);
  }

  dispose(): void {
    this.forget();
    this.#item.dispose();
  }

  /** Of a run that a person started and then did not want now: its own request ends, quiet ones stay open. */
  #putOff({ answer, asked }: Pending, answered: Promise<ConsentAnswer | undefined>): Promise<ConsentAnswer | undefined> {
    const own = answer.pop();
    own?.(undefined);
    if (answer.length === 0) this.#settle(asked.id, undefined);
    return answered;
  }

  async #modal({ asked }: Pending): Promise<ConsentAnswer | undefined> {
    const { title, detail, answers } = consentQuestion(asked);
    const items = [...answers].map(([label, value]) => ({ title: label, value, isCloseAffordance: value === undefined }));
    const chosen = await vscode.window.showWarningMessage(plain(title), { modal: true, detail }, ...items);
    if (chosen?.value !== undefined) this.#settle(asked.id, chosen.value);
    return chosen?.value;
  }

  #settle(id: string, value: ConsentAnswer | undefined): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.answer.forEach((resolve) => resolve(value));
    this.#show();
  }

  #show(): void {
    const waiting = [...this.#pending.values()].map(({ asked }) => asked);
    if (waiting.length === 0) return this.#item.hide();
    const { text, tooltip } = waitingText(waiting);
    this.#item.text = text;
    this.#item.tooltip = tooltip; // plain text, as it holds texts of others
    this.#item.accessibilityInformation = { label: tooltip, role: "button" };
    this.#item.show();
  }
}
