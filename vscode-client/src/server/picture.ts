/** What the server knows, as lists that views show; asked again whenever it may have changed, so that no view holds a truth of its own. */

import * as vscode from "vscode";

import { asked, NOTHING, type Picture } from "./asked.ts";
import type { Server } from "./server.ts";

/** Several changes at once are one question. */
const PAUSE_MS = 150;

export class Watch implements vscode.Disposable {
  picture: Picture = NOTHING;
  readonly #server: Server;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<Picture>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: readonly vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#log = log;
    this.#subscriptions = [
      this.#changed,
      server.onDidChangeState(() => this.refresh()),
      server.onDidChangeDocuments(() => this.refresh()),
      vscode.workspace.onDidCloseTextDocument(() => this.refresh()),
    ];
  }

  refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#ask().then((picture) => {
        this.picture = picture;
        this.#changed.fire(picture);
      });
    }, PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.forEach((subscription) => void subscription.dispose());
  }

  async #ask(): Promise<Picture> {
    if (this.#server.state.kind !== "running") return NOTHING;
    const ask = async <Answer>(method: string, params: object): Promise<Answer> => await this.#server.request<Answer>(method, params);
    return await asked(ask, this.picture, (what, error) => this.#log.debug(`${what}: ${String(error)}`));
  }
}
