/**
 * The editor's own model as one of kernelopt's providers: `kernelopt/model/complete` is answered by a chat model of VS Code.
 *
 * The server sends such a request only in a job that a person started. Here the person chooses the model, and says yes once per workspace and
 * model with the request before their eyes; VS Code asks for its own consent besides.
 */

import * as vscode from "vscode";

import type { Notes } from "../notes.ts";
import { plain } from "../plain.ts";
import { type Completed, type CompletionAsked, Refusal } from "../protocol/completion.ts";
import { refusalOf } from "./refusals.ts";

const CHOSEN = "kernelopt.model";
const ALLOWED = "kernelopt.model.allowed";
const JUSTIFICATION = "kernelopt plans and writes an optimization of a CUDA kernel that you asked for";
/** A model that ignores the bound is stopped here: no tokenizer makes tokens longer than this on average. */
const CHARACTERS_PER_TOKEN = 8;

export class EditorModel {
  readonly #context: vscode.ExtensionContext;
  readonly #notes: Notes;
  #asking: Promise<boolean> | undefined;

  constructor(context: vscode.ExtensionContext, notes: Notes) {
    this.#context = context;
    this.#notes = notes;
  }

  /** Answers one request; rejects with `Refusal`. */
  async complete(asked: CompletionAsked, tell: (text: string) => void, token: vscode.CancellationToken): Promise<Completed> {
    try {
      const model = await this.#model();
      const messages = asked.messages.map(message);
      const input = await tokens(model, messages, token);
      if (!(await this.#isAllowed(model, asked, input))) throw new Refusal("no_consent", `${model.name} was not allowed to be asked`);
      const { text, isCut } = await this.#answer(model, messages, asked.max_output_tokens, tell, token);
      return { text, model_id: model.id, input_tokens: input, output_tokens: await model.countTokens(text), is_cut: isCut };
    } catch (error) {
      throw token.isCancellationRequested ? new Refusal("cancelled", "the job was cancelled") : refusalOf(error);
    }
  }

  /** Has a person choose the model; undefined where none is there, or the question is dismissed. */
  async choose(): Promise<vscode.LanguageModelChat | undefined> {
    const models = await vscode.lm.selectChatModels();
    if (models.length === 0) {
      void vscode.window.showInformationMessage("This VS Code has no language model: install an extension that offers one.");
      return undefined;
    }
    const items = models.map((model) => ({ label: model.name, description: `${model.vendor} · ${model.family}`, model }));
    const chosen = await vscode.window.showQuickPick(items, { title: "Which model plans and writes kernels?", ignoreFocusOut: true });
    if (chosen !== undefined) await this.#context.globalState.update(CHOSEN, chosen.model.id);
    return chosen?.model;
  }

  async #model(): Promise<vscode.LanguageModelChat> {
    const id = this.#context.globalState.get<string>(CHOSEN);
    const known = id === undefined ? undefined : (await vscode.lm.selectChatModels({ id }))[0];
    const model = known ?? (await this.choose());
    if (model === undefined) throw new Refusal("no_model", "no language model of the editor was chosen");
    return model;
  }

  async #answer(
    model: vscode.LanguageModelChat,
    messages: vscode.LanguageModelChatMessage[],
    bound: number,
    tell: (text: string) => void,
    token: vscode.CancellationToken,
  ): Promise<{ readonly text: string; readonly isCut: boolean }> {
    const own = new vscode.CancellationTokenSource();
    const link = token.onCancellationRequested(() => own.cancel());
    try {
      const response = await model.sendRequest(messages, { justification: JUSTIFICATION }, own.token);
      let text = "";
      for await (const piece of response.text) {
        text += piece;
        tell(piece);
        if (text.length > bound * CHARACTERS_PER_TOKEN) {
          own.cancel();
          return { text, isCut: true };
        }
      }
      return { text, isCut: false };
    } finally {
      link.dispose();
      own.dispose();
    }
  }

  /** Once for each workspace and model; several requests at once are one question. */
  async #isAllowed(model: vscode.LanguageModelChat, asked: CompletionAsked, input: number): Promise<boolean> {
    const allowed = this.#context.workspaceState.get<readonly string[]>(ALLOWED, []);
    if (allowed.includes(model.id)) return true;
    this.#asking ??= this.#ask(model, asked, input).finally(() => {
      this.#asking = undefined;
    });
    return await this.#asking;
  }

  async #ask(model: vscode.LanguageModelChat, asked: CompletionAsked, input: number): Promise<boolean> {
    const question = `Send CUDA source of this workspace to ${model.name} (${model.vendor})?`;
    const detail =
      `The first request has ${input.toLocaleString()} tokens; its answer may have ${asked.max_output_tokens.toLocaleString()}. ` +
      "Requests are sent only by jobs that you start, each is kept in memory, and what comes back is verified before you see it.";
    const [allow, show] = ["Allow in This Workspace", "Show the Request"];
    for (;;) {
      const answer = await vscode.window.showWarningMessage(plain(question), { modal: true, detail }, allow, show);
      if (answer === allow) {
        const allowed = this.#context.workspaceState.get<readonly string[]>(ALLOWED, []);
        await this.#context.workspaceState.update(ALLOWED, [...allowed, model.id]);
        return true;
      }
      if (answer !== show) return false;
      await this.#notes.showText(`request to ${model.name}`, asked.messages.map(({ author, text }) => `── ${author} ──\n${text}`).join("\n\n"));
      if (!(await this.#hasSeen(model))) return false;
    }
  }

  /** Lets a person read what is shown before the question comes back. */
  async #hasSeen(model: vscode.LanguageModelChat): Promise<boolean> {
    const go = "Decide";
    return (await vscode.window.showInformationMessage(plain(`This would be sent to ${model.name}.`), go, "Do Not Send")) === go;
  }
}

/** VS Code's models take no system message of their own: it goes first, as the user's. */
function message({ author, text }: CompletionAsked["messages"][number]): vscode.LanguageModelChatMessage {
  return author === "assistant" ? vscode.LanguageModelChatMessage.Assistant(text) : vscode.LanguageModelChatMessage.User(text);
}

async function tokens(
  model: vscode.LanguageModelChat,
  messages: readonly vscode.LanguageModelChatMessage[],
  token: vscode.CancellationToken,
): Promise<number> {
  const counts = await Promise.all(messages.map((one) => model.countTokens(one, token)));
  return counts.reduce((sum, count) => sum + count, 0);
}
