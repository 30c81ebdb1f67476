/** The questions of a review, each a quick pick: everything can be done by keyboard. */

import * as vscode from "vscode";

import type { FilePreview, OtherTried, Proposal } from "../protocol/answers.ts";
import { afterLines, describe } from "./choice.ts";
import { type ReasonCode, REASONS } from "./reasons.ts";

export type Verb = "preview" | "accept" | "hunks" | "reject" | "explain" | "edit";

export async function chooseProposal(open: readonly Proposal[]): Promise<string | undefined> {
  if (open.length === 0) {
    void vscode.window.showInformationMessage("No proposal is open: run Optimize on a kernel.");
    return undefined;
  }
  if (open.length === 1) return open[0]?.id;
  const items = open.map((proposal) => ({ label: proposal.title, description: proposal.kernel, detail: proposal.summary, id: proposal.id }));
  return (await vscode.window.showQuickPick(items, { title: "Which proposal?", matchOnDescription: true, matchOnDetail: true }))?.id;
}

export async function chooseVerb(title: string, hunkCount: number): Promise<Verb | undefined> {
  const verbs: readonly (vscode.QuickPickItem & { readonly verb: Verb })[] = [
    { verb: "preview", label: "$(diff) Preview", detail: "The live document next to the proposal" },
    { verb: "accept", label: "$(check) Accept", detail: "As one edit of your buffer, which undo takes back" },
    { verb: "hunks", label: "$(checklist) Accept some hunks…", detail: "The rest is left as it is; what you take is judged again" },
    { verb: "reject", label: "$(close) Reject…", detail: "With a reason, if you like" },
    { verb: "explain", label: "$(info) Explain", detail: "Why it should help, with the evidence" },
    { verb: "edit", label: "$(edit) Edit", detail: "A scratch copy; saving it has it judged" },
  ];
  const offered = verbs.filter(({ verb }) => verb !== "hunks" || hunkCount > 1);
  return (await vscode.window.showQuickPick(offered, { title }))?.verb;
}

/** Ids of the hunks that are ticked; undefined where the question is dismissed. */
export async function chooseHunks(files: readonly FilePreview[], ticked: ReadonlySet<string>): Promise<readonly string[] | undefined> {
  const every = files.flatMap((file) => file.hunks);
  const groups = await Promise.all(
    files.map(async ({ name, hunks, proposal_uri }) => {
      const after = await vscode.workspace.openTextDocument(vscode.Uri.parse(proposal_uri));
      return hunks.map((hunk) => ({
        label: describe(every, hunk),
        ...(files.length > 1 ? { description: name } : {}),
        detail: after.lineAt(Math.min(afterLines(hunk).first, after.lineCount - 1)).text.trim(),
        picked: ticked.has(hunk.id),
        id: hunk.id,
      }));
    }),
  );
  const items = groups.flat();
  const chosen = await vscode.window.showQuickPick(items, { title: "Accept which hunks?", canPickMany: true });
  return chosen?.map((item) => item.id);
}

export async function chooseOther(others: readonly OtherTried[]): Promise<OtherTried | undefined> {
  if (others.length === 0) {
    void vscode.window.showInformationMessage("Nothing else was tried on this kernel in that search.");
    return undefined;
  }
  const items = others.map((other) => ({ label: other.title, detail: `${other.why.replace(/\.$/, "")} · tried ${other.tried}`, other }));
  return (await vscode.window.showQuickPick(items, { title: "Tried, and not offered: why not?", matchOnDetail: true }))?.other;
}

/** What Accept means where hunks are left out of a diff that is not on screen; undefined where the question is dismissed. */
export async function choosePart(part: { readonly taken: string; readonly leftOut: string }): Promise<"taken" | "all" | undefined> {
  const items = [
    { label: `Accept ${part.taken}`, detail: `You left ${part.leftOut} out; what you take is judged again`, means: "taken" as const },
    { label: "Accept all of it", detail: `With ${part.leftOut}`, means: "all" as const },
  ];
  return (await vscode.window.showQuickPick(items, { title: "Accept the proposal" }))?.means;
}

/** Words are asked for where none of the reasons says it; every other reason is enough. */
export async function askReason(): Promise<{ readonly code: ReasonCode | undefined; readonly words: string } | undefined> {
  const silent: Asked = { label: "No reason", detail: "Just reject it", code: undefined };
  const items: readonly Asked[] = [silent, ...REASONS];
  const chosen = await vscode.window.showQuickPick(items, { title: "Reject: why? It is remembered for the next proposals." });
  if (chosen === undefined) return undefined;
  if (chosen.code !== "other") return { code: chosen.code, words: "" };
  const words = await vscode.window.showInputBox({
    title: `Reject: ${chosen.label}`,
    prompt: "In your words. Enter rejects, Escape does not.",
  });
  return words === undefined ? undefined : { code: chosen.code, words };
}

interface Asked extends vscode.QuickPickItem {
  readonly code: ReasonCode | undefined;
}
