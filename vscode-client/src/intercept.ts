/** What happens between a lens or action that names a server command and the server: questions first, answers shown. */

import * as vscode from "vscode";

import type { Notes } from "./notes.ts";
import { plain } from "./plain.ts";
import { chooseProgram } from "./programs.ts";
import type { Build, Explained, KernelArguments, Program } from "./protocol/answers.ts";
import type { ProposalArguments, Review } from "./review/review.ts";
import type { Execute, Next } from "./server/connection.ts";
import type { Server } from "./server/server.ts";

export function intercepting(server: Server, review: Review, notes: Notes): Execute {
  return async (command, values, next) => {
    const argument = values[0];
    if (isProposal(argument) && (await reviewed(command, argument, review))) return undefined;
    if (EXPLAINED.has(command)) return await shown(command, values, next, notes);
    const asked = await question(command, argument, server);
    if (asked === "dismissed") return undefined;
    const answer = await next(command, asked === undefined ? values : [asked]);
    if (ANSWERED.has(command)) void said(answer, argument);
    return answer;
  };
}

const ANSWERED: ReadonlySet<string> = new Set(["kernelopt.pair.start", "kernelopt.pair.constrain"]);
const SUGGEST = "Suggest";

/** A pair session's answer in one line, and what is asked next. */
async function said(answer: unknown, argument: unknown): Promise<void> {
  const { answer: line } = (answer ?? {}) as { readonly answer?: unknown }; // undefined: the request failed, and that was told
  if (typeof line !== "string") return;
  const chosen = await vscode.window.showInformationMessage(plain(`kernelopt: ${line}`), SUGGEST);
  if (chosen === SUGGEST) await vscode.commands.executeCommand("kernelopt.pair.suggest", kernelOf(argument));
}

/** The document and kernel of any pair command's argument. */
function kernelOf(argument: unknown): KernelArguments {
  const { uri, kernel, source } = argument as KernelArguments; // lenses, actions and rows give these
  return { uri, ...(kernel === undefined ? {} : { kernel }), ...(source === undefined ? {} : { source }) };
}

const EXPLAINED: ReadonlySet<string> = new Set(["kernelopt.kernel.explain", "kernelopt.pair.why", "kernelopt.pair.stop"]);

/** Whether the review did what the command asks for. */
async function reviewed(command: string, argument: ProposalArguments, review: Review): Promise<boolean> {
  switch (command) {
    case "kernelopt.proposal.preview":
      await review.preview(argument.proposal_id);
      return true;
    case "kernelopt.proposal.accept":
      if (argument.hunk_ids === undefined || argument.hunk_ids.length === 0) await review.accept(argument.proposal_id);
      else await review.acceptHunks(argument.proposal_id, argument.hunk_ids);
      return true;
    case "kernelopt.proposal.explain":
      await review.explain(argument.proposal_id);
      return true;
    case "kernelopt.proposal.reject":
      if (argument.reason_code !== undefined || argument.reason !== undefined) return false;
      await review.reject(argument.proposal_id);
      return true;
    default:
      return false;
  }
}

async function shown(command: string, values: readonly unknown[], next: Next, notes: Notes): Promise<unknown> {
  const answer = (await next(command, values)) as Explained | undefined; // undefined: the request failed, and that was told
  if (answer !== undefined) await notes.showMarkdown(command === "kernelopt.kernel.explain" ? "kernel" : "pair session", answer.markdown);
  return answer;
}

/** The argument with what a person was asked for; undefined where there is nothing to ask. */
async function question(command: string, argument: unknown, server: Server): Promise<object | "dismissed" | undefined> {
  if (typeof argument !== "object" || argument === null) return undefined;
  if (command === "kernelopt.pair.start" && !("goal" in argument)) {
    const goal = await vscode.window.showInputBox({ title: "Pair on this kernel", prompt: "A goal in your words, if you have one." });
    return goal === undefined ? "dismissed" : { ...argument, ...(goal.trim() === "" ? {} : { goal: goal.trim() }) };
  }
  if (command === "kernelopt.program.choose" && !("program" in argument)) {
    const { uri } = kernelOf(argument);
    const programs = await server.request<readonly Program[]>("kernelopt/list", { what: "programs", uri });
    const builds = await server.request<readonly Build[]>("kernelopt/list", { what: "builds", uri });
    const program = await chooseProgram(programs, builds);
    return program === undefined ? "dismissed" : { ...argument, program };
  }
  if (command === "kernelopt.pair.constrain" && !("words" in argument)) {
    const words = await vscode.window.showInputBox({
      title: "What must every suggestion keep to?",
      placeHolder: "keep block 256, no fast-math, …",
      validateInput: (text) => (text.trim() === "" ? "Say what to keep to." : undefined),
    });
    return words === undefined ? "dismissed" : { ...argument, words: words.trim() };
  }
  return undefined;
}

function isProposal(argument: unknown): argument is ProposalArguments {
  return typeof argument === "object" && argument !== null && "proposal_id" in argument && typeof argument.proposal_id === "string";
}
