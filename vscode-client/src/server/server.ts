/** The language server as the rest of the extension sees it: what it is doing, what it says, what can be asked of it. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import type { KernelOptEvent } from "../protocol/events.ts";
import type { Wiring } from "./connection.ts";
import { type Launcher, isFailure } from "./launch.ts";
import type { Failure, ServerState } from "./state.ts";

const RESTART_LIMIT = 4;
/** Ends within this time count towards the limit. */
const RESTART_WINDOW_MS = 180_000;
/** For a server to end its jobs when it is asked to; then it is killed. VS Code gives a window that closes as long. */
const STOP_MS = 5_000;

/** What front-end parts are given. */
export interface Server {
  readonly state: ServerState;
  readonly onDidChangeState: vscode.Event<ServerState>;
  /** What a job tells (docs/reference/events.md). */
  readonly onEvent: vscode.Event<KernelOptEvent>;
  /** What is shown of these documents is another now; none: only the jobs are. */
  readonly onDidChangeDocuments: vscode.Event<readonly string[]>;
  /** Starts the server where it is not running; ends once it runs, or has failed. */
  start(): Promise<ServerState>;
  /** One `kernelopt/…` or LSP request to a server that runs or is starting. Rejects with `ServerUnavailable` where there is none. */
  request<Answer>(method: string, params: object, token?: vscode.CancellationToken): Promise<Answer>;
  /** One server command with its one object argument, as docs/reference/language-server.md lists them; starts the server if need be. */
  execute<Answer>(command: string, argument: object): Promise<Answer>;
}

export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}

/** What a connection is given besides what the server itself listens to. */
export type Outside = Omit<Wiring, "closed" | "changed">;

export class LanguageServer implements Server, vscode.Disposable {
  state: ServerState = { kind: "idle" };
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly #told = new vscode.EventEmitter<KernelOptEvent>();
  readonly onDidChangeState = this.#changed.event;
  readonly onEvent = this.#told.event;
  readonly #moved = new vscode.EventEmitter<readonly string[]>();
  readonly onDidChangeDocuments = this.#moved.event;
  readonly #launcher: Launcher;
  readonly #outside: Outside;
  #client: LanguageClient | undefined;
  #starting: Promise<ServerState> | undefined;
  #ends: readonly number[] = [];
  #isDisposed = false;

  constructor(launcher: Launcher, outside: Outside) {
    this.#launcher = launcher;
    this.#outside = outside;
  }

  start(): Promise<ServerState> {
    if (this.state.kind === "running") return Promise.resolve(this.state);
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async restart(): Promise<ServerState> {
    await this.#starting;
    this.#ends = [];
    await this.#end();
    return await this.start();
  }

  /** Says that the environment of the server is being made, and what came of it. */
  async installing(work: () => Promise<Failure | undefined>): Promise<ServerState> {
    await this.#end();
    this.#become({ kind: "installing" });
    const failure = await work();
    return failure === undefined ? await this.start() : this.#fail(failure);
  }

  async request<Answer>(method: string, params: object, token?: vscode.CancellationToken): Promise<Answer> {
    await this.#starting;
    const client = this.#running();
    if (token === undefined) return await client.sendRequest<Answer>(method, params); // given, it would be a second parameter
    return await client.sendRequest<Answer>(method, params, token);
  }

  async execute<Answer>(command: string, argument: object): Promise<Answer> {
    await this.start();
    return await this.request<Answer>("workspace/executeCommand", { command, arguments: [argument] });
  }

  /** Tells a running server that the workspace is trusted now; one that starts later is told at its start. */
  trustGranted(): void {
    void this.#client?.sendNotification("kernelopt/trustChanged", { trusted: true });
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#end();
  }

  #running(): LanguageClient {
    if (this.#client === undefined || this.state.kind !== "running") throw new ServerUnavailable("the language server is not running");
    return this.#client;
  }

  async #begin(): Promise<ServerState> {
    this.#become({ kind: "starting" });
    const connection = import("./connection.ts"); // is read while VS Code looks for keys
    const command = await this.#launcher.server();
    if (isFailure(command)) return this.#fail(command);
    const { connect } = await connection;
    const client = connect(command, { ...this.#outside, changed: this.onDidChangeDocuments, closed: () => this.#closed(client) });
    client.onNotification("kernelopt/event", (event: KernelOptEvent) => this.#told.fire(event));
    client.onNotification("kernelopt/changed", ({ uris }: { readonly uris: readonly string[] }) => this.#moved.fire(uris));
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      this.#client = undefined;
      void client.dispose().catch(() => undefined); // it never ran
      return this.#fail(await this.#launcher.diagnose(error instanceof Error ? error.message : String(error)));
    }
    return this.#become({ kind: "running", version: client.initializeResult?.serverInfo?.version ?? "" });
  }

  /** The server ended by itself: it comes back, unless it keeps ending. */
  #closed(client: LanguageClient): void {
    if (client !== this.#client || this.state.kind !== "running") return;
    this.#client = undefined;
    const now = Date.now();
    this.#ends = [...this.#ends.filter((time) => now - time < RESTART_WINDOW_MS), now];
    if (this.#ends.length > RESTART_LIMIT) {
      this.#fail({ kind: "crashed", count: this.#ends.length });
      return;
    }
    this.#become({ kind: "stopped" });
    setTimeout(() => void this.start(), 0); // the old client takes its commands back first
  }

  async #end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#become({ kind: "stopped" });
    await client?.dispose(STOP_MS).catch((error: unknown) => this.#outside.log.warn(`the language server did not end by itself: ${String(error)}`));
  }

  #fail(failure: Failure): ServerState {
    return this.#become({ kind: "failed", failure });
  }

  #become(state: ServerState): ServerState {
    this.state = state;
    if (!this.#isDisposed) this.#changed.fire(state);
    return state;
  }
}
