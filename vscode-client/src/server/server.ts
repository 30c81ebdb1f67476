/** The language server as the rest of the extension sees it: what it is doing, what it says, what can be asked of it. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import type { KernelOptEvent } from "../protocol/events.ts";
import type { Execute } from "./connection.ts";
import { configuredPython, serverCommand } from "./launch.ts";
import type { Failure, ServerState } from "./state.ts";

const RESTART_LIMIT = 4;
/** Crashes within this time count towards the limit. */
const RESTART_WINDOW_MS = 180_000;

/** What front-end parts are given. */
export interface Server {
  readonly state: ServerState;
  readonly onDidChangeState: vscode.Event<ServerState>;
  /** What a job tells (docs/reference/events.md). */
  readonly onEvent: vscode.Event<KernelOptEvent>;
  /** Starts the server where it is not running; ends once it runs, or has failed. */
  start(): Promise<ServerState>;
  /** One `kernelopt/…` or LSP request. Rejects with `ServerUnavailable` where no server can be had. */
  request<Answer>(method: string, params: object, token?: vscode.CancellationToken): Promise<Answer>;
  /** One server command with its one object argument, as docs/reference/language-server.md lists them. */
  execute<Answer>(command: string, argument: object): Promise<Answer>;
}

export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}

export class LanguageServer implements Server, vscode.Disposable {
  state: ServerState = { kind: "idle" };
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly #told = new vscode.EventEmitter<KernelOptEvent>();
  readonly onDidChangeState = this.#changed.event;
  readonly onEvent = this.#told.event;
  readonly #log: vscode.LogOutputChannel;
  readonly #execute: Execute;
  #client: LanguageClient | undefined;
  #starting: Promise<ServerState> | undefined;
  #crashes: number[] = [];

  constructor(log: vscode.LogOutputChannel, execute: Execute) {
    this.#log = log;
    this.#execute = execute;
  }

  start(): Promise<ServerState> {
    if (this.state.kind === "running") return Promise.resolve(this.state);
    this.#starting ??= this.#begin().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async restart(): Promise<ServerState> {
    await this.#starting;
    this.#crashes = [];
    await this.#end();
    return await this.start();
  }

  async request<Answer>(method: string, params: object, token?: vscode.CancellationToken): Promise<Answer> {
    const client = await this.#running();
    return await client.sendRequest<Answer>(method, params, token);
  }

  async execute<Answer>(command: string, argument: object): Promise<Answer> {
    return await this.request<Answer>("workspace/executeCommand", { command, arguments: [argument] });
  }

  /** Tells a running server that the workspace is trusted now; one that starts later is told at its start. */
  trustGranted(): void {
    void this.#client?.sendNotification("kernelopt/trustChanged", { trusted: true });
  }

  dispose(): Thenable<void> {
    return this.#end();
  }

  async #running(): Promise<LanguageClient> {
    const state = await this.start();
    if (this.#client === undefined || state.kind !== "running") throw new ServerUnavailable("the language server is not running");
    return this.#client;
  }

  async #begin(): Promise<ServerState> {
    this.#become({ kind: "starting" });
    const python = configuredPython();
    if (python === "") return this.#fail({ kind: "python_missing", setting: "kernelopt.server.python" });
    const { connect } = await import("./connection.ts");
    const client = connect(serverCommand(python), { log: this.#log, execute: this.#execute, closed: () => this.#closed(client) });
    client.onNotification("kernelopt/event", (event: KernelOptEvent) => this.#told.fire(event));
    try {
      await client.start();
    } catch (error) {
      return this.#fail({ kind: "package_missing", python, detail: error instanceof Error ? error.message : String(error) });
    }
    this.#client = client;
    return this.#become({ kind: "running", version: client.initializeResult?.serverInfo?.version ?? "" });
  }

  /** The server ended by itself: it comes back, unless it keeps ending. */
  #closed(client: LanguageClient): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < RESTART_WINDOW_MS), now];
    if (this.#crashes.length > RESTART_LIMIT) {
      this.#fail({ kind: "crashed", detail: `it ended ${this.#crashes.length} times in three minutes` });
      return;
    }
    this.#become({ kind: "stopped" });
    setTimeout(() => void this.start(), 0); // after the old client has taken its commands back
  }

  async #end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#become({ kind: "stopped" });
    await client?.dispose();
  }

  #fail(failure: Failure): ServerState {
    return this.#become({ kind: "failed", failure });
  }

  #become(state: ServerState): ServerState {
    this.state = state;
    this.#changed.fire(state);
    return state;
  }
}
