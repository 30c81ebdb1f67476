/** What the server knows, as lists that views show; asked again whenever it may have changed, so that no view holds a truth of its own. */

import * as vscode from "vscode";

import type { Decision, Job, Kernel, PairSession, Proposal, Status } from "../protocol/answers.ts";
import type { Server } from "./server.ts";

/** Several changes at once are one question. */
const PAUSE_MS = 150;

export interface Picture {
  readonly kernels: readonly Kernel[];
  readonly proposals: readonly Proposal[];
  readonly decisions: readonly Decision[];
  readonly pairs: readonly PairSession[];
  readonly jobs: readonly Job[];
  /** Undefined while no server runs. */
  readonly status: Status | undefined;
}

const NOTHING: Picture = { kernels: [], proposals: [], decisions: [], pairs: [], jobs: [], status: undefined };

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
    const [kernels, proposals, decisions, pairs, status] = await Promise.all([
      this.#list<Kernel>("kernels"),
      this.#list<Proposal>("proposals"),
      this.#list<Decision>("decisions"),
      this.#list<PairSession>("pair"),
      this.#server.request<Status>("kernelopt/status", {}).catch(() => undefined),
    ]);
    return { kernels, proposals, decisions, pairs, jobs: status?.jobs ?? [], status };
  }

  async #list<Item>(what: string): Promise<readonly Item[]> {
    try {
      return await this.#server.request<readonly Item[]>("kernelopt/list", { what });
    } catch (error) {
      this.#log.debug(`list of ${what}: ${String(error)}`);
      return [];
    }
  }
}
