/** One run of the language server, as vscode-languageclient drives it. Imported when the first server starts, never at activation. */

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  LSPErrorCodes,
  ProgressType,
  ResponseError,
  State,
} from "vscode-languageclient/node";

import type { Completed, CompletionAsked } from "../protocol/completion.ts";
import { Refusal } from "../protocol/completion.ts";
import { explicitSettings, type Manifest } from "./configuration.ts";
import { HEADER_ENDINGS } from "./interest.ts";
import type { Consents } from "./consent.ts";
import type { ConsentAsked } from "./consent_words.ts";
import { Doubles } from "./doubles.ts";
import type { Command } from "./launch.ts";
import { Lenses } from "./lenses.ts";
import { type Level, levelOf } from "./levels.ts";

const SUPPORTS = ["diff", "input", "event", "lines", "offer", "model", "consent"];
const PROTOCOL = 1;
const NOTEBOOKS = "jupyter-notebook";
/** Extensions that know C++ and CUDA. */
const OUTLINERS = ["llvm-vs-code-extensions.vscode-clangd", "ms-vscode.cpptools"];

/** What runs a server command that VS Code shows; `next` sends it to the server. */
export type Execute = (command: string, values: readonly unknown[], next: Next) => Promise<unknown>;
/** Rejects with the server's own words; the language client's way would show a message of its own. */
export type Next = (command: string, values: readonly unknown[]) => Promise<unknown>;

export interface Wiring {
  readonly log: vscode.LogOutputChannel;
  readonly execute: Execute;
  readonly complete: Complete;
  readonly consents: Consents;
  readonly manifest: Manifest;
  readonly closed: () => void;
  /** The server has told of another view of these documents. */
  readonly changed: vscode.Event<readonly string[]>;
}

/** Answers `kernelopt/model/complete`; `tell` sends a piece of the answer as it comes. Rejects with a `ResponseError` by its code. */
export type Complete = (asked: CompletionAsked, tell: (text: string) => void, token: vscode.CancellationToken) => Promise<Completed>;

export function connect(command: Command, wiring: Wiring): LanguageClient {
  const lenses = new Lenses(() => client);
  const doubles = new Doubles<vscode.Uri, vscode.Diagnostic>((uri) => vscode.languages.getDiagnostics(uri));
  const options: LanguageClientOptions = {
    documentSelector: [
      ...["file", "untitled"].flatMap((scheme) => ["cuda-cpp", "cuda", "python"].map((language) => ({ scheme, language }))),
      { scheme: "file", pattern: `**/*.{${["cu", "cuh", ...HEADER_ENDINGS].join(",")}}` }, // the server looks for device code in a header
      { notebook: NOTEBOOKS, language: "python" },
    ],
    notebookDocumentOptions: {},
    outputChannel: wiring.log,
    initializationOptions: () => ({ kernelopt: { protocol: PROTOCOL, trusted: vscode.workspace.isTrusted, supports: SUPPORTS } }),
    progressOnInitialization: false,
    markdown: { isTrusted: { enabledCommands: ["kernelopt.kernel.explain"] }, supportHtml: false }, // texts of others make no link: the server sees to it
    stdioOptions: { stdout: (lines) => heard(lines, () => "info", wiring.log), stderr: (lines) => heard(lines, levelOf, wiring.log) },
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        wiring.closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      handleDiagnostics: (uri, diagnostics, next) => doubles.show(uri, diagnostics, next),
      provideDocumentSymbols: (document, token, next) => (isOutlinedByOthers(document) ? [] : next(document, token)),
      provideCodeLenses: (document, token, next) => {
        lenses.asked(document);
        return next(document, token);
      },
      executeCommand: (name, values) =>
        wiring.execute(name, values, (command, args) => client.sendRequest("workspace/executeCommand", { command, arguments: args })),
      workspace: {
        configuration: (params) => params.items.map((item) => explicitSettings(wiring.manifest, item.section, item.scopeUri)),
      },
    },
  };
  const program = { command: command.program, args: [...command.args], options: { env: command.environment } };
  const client: LanguageClient = new QuietClient("kernelopt", "kernelopt", program, options);
  answerCompletions(client, wiring.complete);
  client.onRequest("kernelopt/consent", async (asked: ConsentAsked, token: vscode.CancellationToken) => ({
    answer: (await wiring.consents.ask(asked, token)) ?? null,
  }));
  const listening = vscode.Disposable.from(
    wiring.changed((uris) => lenses.changed(uris)),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => doubles.changed(uris)),
  );
  const ending = client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped) wiring.consents.forget();
    if (newState === State.Stopped) vscode.Disposable.from(listening, lenses, ending).dispose();
  });
  return client;
}

/** Whether another extension lists the functions of a document: they would be there twice. */
function isOutlinedByOthers({ languageId }: vscode.TextDocument): boolean {
  return languageId !== "python" && OUTLINERS.some((id) => vscode.extensions.getExtension(id)?.isActive === true);
}

/** The library logs all of it as errors. */
function heard(lines: Readable, level: (line: string) => Level, log: vscode.LogOutputChannel): void {
  createInterface({ input: lines, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => log[level(line)](line));
}

/** Failures of the server and of its commands are told by us, with what fixes them; the library's own messages go to the log alone. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function answerCompletions(client: LanguageClient, complete: Complete): void {
  const progress = new ProgressType<{ readonly text: string }>();
  client.onRequest("kernelopt/model/complete", async (asked: CompletionAsked, token: vscode.CancellationToken) => {
    const tell = (text: string): void => void client.sendProgress(progress, asked.request_id, { text });
    try {
      return await complete(asked, tell, token);
    } catch (error) {
      if (error instanceof Refusal) throw new ResponseError(LSPErrorCodes.RequestFailed, error.message, { kind: error.kind });
      throw error;
    }
  });
}
