/** The extension's own commands, `kernelopt.ui.*`; the server's are registered by the language client while it runs. */

import * as vscode from "vscode";

import { told } from "./boundary.ts";
import type { EditorModel } from "./model/ask.ts";
import type { Notes } from "./notes.ts";
import { plain } from "./plain.ts";
import type { KernelArguments } from "./protocol/answers.ts";
import type { Review } from "./review/review.ts";
import type { Consents } from "./server/consent.ts";
import { askKey, forgetKey } from "./server/keys.ts";
import type { Launcher } from "./server/launch.ts";
import { doctor, installCompilerWheels, installIntoPython, installServer } from "./server/machine.ts";
import type { Picture } from "./server/asked.ts";
import type { Watch } from "./server/picture.ts";
import type { LanguageServer } from "./server/server.ts";
import type { Telling } from "./server/tell.ts";
import { committedText, GIT } from "./testing/commit.ts";
import { endedByRestart, type Row, rows } from "./view/rows.ts";

/** Everything that a command may need; made in `extension.ts`. */
export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly launcher: Launcher;
  readonly server: LanguageServer;
  readonly watch: Watch;
  readonly notes: Notes;
  readonly review: Review;
  readonly model: EditorModel;
  readonly telling: Telling;
  readonly consents: Consents;
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const all = { ...serverCommands(parts), ...reviewCommands(parts), ...viewCommands(parts), ...kernelCommands(parts) };
  const registered = Object.entries(all).map(([name, run]) =>
    vscode.commands.registerCommand(`kernelopt.ui.${name}`, (...values: never[]) => {
      parts.telling.asked();
      return told(parts.log, () => run(...values));
    }),
  );
  return vscode.Disposable.from(...registered);
}

type Run = (...values: never[]) => Promise<unknown> | unknown;
type Runs = Readonly<Record<string, Run>>;

function serverCommands({ consents, context, launcher, log, model, notes, server, watch }: Parts): Runs {
  const restart = async (): Promise<void> => {
    const ended = endedByRestart(watch.picture.jobs);
    await server.restart();
    if (ended !== undefined) void vscode.window.showInformationMessage(plain(ended));
  };
  const restartAfter = async (change: Promise<boolean>): Promise<void> => {
    if ((await change) && server.state.kind !== "idle") await restart();
  };
  return {
    restart,
    answerConsent: () => consents.answerFirst(),
    showLog: () => log.show(),
    doctor: () => doctor(launcher, server, notes),
    installServer: () => installServer(launcher, server, log),
    installIntoPython: () => installIntoPython(launcher, server, log),
    installCompilers: () => installCompilerWheels(launcher, server, log),
    setKey: () => restartAfter(askKey(context.secrets)),
    forgetKey: () => restartAfter(forgetKey(context.secrets)),
    chooseModel: () => model.choose(),
  };
}

function reviewCommands({ review, watch }: Parts): Runs {
  const onShown =
    (act: (proposal: string) => Promise<void>): Run =>
    async (uri?: vscode.Uri) => {
      const proposal = uri instanceof vscode.Uri ? review.proposalAt(uri) : await review.pick(watch.picture.proposals);
      if (proposal !== undefined) await act(proposal);
    };
  const onHunk =
    (act: (proposal: string, hunk: string) => Promise<void> | void): Run =>
    async (target: HunkLink | vscode.CommentThread) => {
      const found = "hunk_id" in target ? { proposal: target.proposal_id, hunk: target.hunk_id } : review.hunkAt(target);
      if (found !== undefined) await act(found.proposal, found.hunk);
    };
  const inLiveFile =
    (act: (proposal: string, hunk: string) => Promise<void>): Run =>
    (target?: HunkLink | vscode.CommentThread) =>
      target === undefined ? review.atCursor(act) : onHunk(act)(target as never);
  return {
    review: () => review.choose(watch.picture.proposals),
    acceptProposal: onShown((proposal) => review.accept(proposal)),
    rejectProposal: onShown((proposal) => review.reject(proposal)),
    explainProposal: onShown((proposal) => review.explain(proposal)),
    editProposal: onShown((proposal) => review.edit(proposal)),
    othersTried: (target?: { readonly proposal_id?: string }) =>
      target?.proposal_id === undefined ? onShown((proposal) => review.othersTried(proposal))() : review.othersTried(target.proposal_id),
    nextProposal: () => review.next(watch.picture.proposals),
    acceptHunk: onHunk((proposal, hunk) => review.acceptHunk(proposal, hunk)),
    leaveHunkOut: onHunk((proposal, hunk) => review.toggleHunk(proposal, hunk)),
    takeHunk: onHunk((proposal, hunk) => review.toggleHunk(proposal, hunk)),
    keepHunk: inLiveFile((proposal, hunk) => review.keepHunk(proposal, hunk)),
    skipHunk: inLiveFile((proposal, hunk) => review.skipHunk(proposal, hunk)),
  };
}

/** What a link in a thread hands over. */
interface HunkLink {
  readonly proposal_id: string;
  readonly hunk_id: string;
}

function viewCommands({ context, server, watch }: Parts): Runs {
  const onRow =
    (command: string): Run =>
    (row?: Row) =>
      row === undefined ? sayThatTheViewChanged() : vscode.commands.executeCommand(command, row.argument);
  const cancel = async (row?: Row): Promise<void> => {
    const job = row?.argument ?? (await pickedJob(watch.picture));
    if (job !== undefined) await server.execute("kernelopt.job.cancel", job);
  };
  return {
    refresh: () => watch.refresh(),
    walkthrough: () => vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`),
    menu: () => vscode.commands.executeCommand("kernelopt.overview.focus"),
    goTo: async ({ uri, line }: { readonly uri: string; readonly line: number }) => {
      const place = new vscode.Range(line, 0, line, 0);
      await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(uri), { selection: place });
    },
    cancelJob: cancel,
    cancelAllJobs: () => Promise.all(watch.picture.jobs.map(({ job_id }) => server.execute("kernelopt.job.cancel", { job_id }))),
    rowPreview: onRow("kernelopt.proposal.preview"),
    rowAccept: onRow("kernelopt.proposal.accept"),
    rowReject: onRow("kernelopt.proposal.reject"),
    rowReopen: onRow("kernelopt.proposal.reopen"),
    rowExplain: onRow("kernelopt.proposal.explain"),
    rowEdit: onRow("kernelopt.proposal.edit"),
    rowCheck: onRow("kernelopt.check"),
    rowProfile: onRow("kernelopt.profile"),
    rowOptimize: onRow("kernelopt.optimize"),
    rowPair: onRow("kernelopt.pair.start"),
    rowSuggest: onRow("kernelopt.pair.suggest"),
    rowConstrain: onRow("kernelopt.pair.constrain"),
    rowStopPair: onRow("kernelopt.pair.stop"),
    rowBack: onRow("kernelopt.pair.back"),
  };
}

/** VS Code hands over no row where the list was read anew under the click. */
function sayThatTheViewChanged(): void {
  void vscode.window.showInformationMessage("The list changed just then: please click again.");
}

/** What *Cancel the Job* is about where its row went under the click: one that is left is asked about, as it may be another one. */
async function pickedJob(picture: Picture): Promise<object | undefined> {
  const listed = rows(picture).find(({ id }) => id === "jobs")?.children ?? [];
  if (listed.length === 0) {
    void vscode.window.showInformationMessage("No job runs any more.");
    return undefined;
  }
  const items = listed.map(({ label, description, argument }) => ({ label, description: description ?? "", argument }));
  const chosen = await vscode.window.showQuickPick(items, { title: "Which job should end?" });
  return chosen?.argument;
}

function sayThatNoKernelIsKnown(): void {
  void vscode.window.showInformationMessage("No CUDA kernel is known in this document.");
}

/** The palette's: on the kernel at the cursor, or the only one of the document. */
function kernelCommands({ server, watch }: Parts): Runs {
  const onKernel =
    (command: string): Run =>
    async () => {
      if ((await server.start()).kind !== "running") return;
      const target = await kernelHere(watch);
      if (target !== undefined) await vscode.commands.executeCommand(command, target);
    };
  return {
    check: onKernel("kernelopt.check"),
    profile: onKernel("kernelopt.profile"),
    optimize: onKernel("kernelopt.optimize"),
    optimizeFile: async () => {
      if ((await server.start()).kind === "running") await optimizeFile(watch);
    },
    optimizeChanged: async () => {
      if ((await server.start()).kind === "running") await optimizeChanged();
    },
    pair: onKernel("kernelopt.pair.start"),
    declareWorkload: onKernel("kernelopt.workload.init"),
    explainKernel: onKernel("kernelopt.kernel.explain"),
    chooseProgram: onKernel("kernelopt.program.choose"),
  };
}

/** All kernels of the active document, or of the program that its `main()` runs; of a Python file each of its CUDA texts. */
async function optimizeFile(watch: Watch): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  const sources = new Set(watch.picture.kernels.filter((kernel) => kernel.uri === uri).map(({ source }) => source));
  if (sources.size === 0) sources.add(undefined); // the kernels of its program
  for (const source of sources) await vscode.commands.executeCommand("kernelopt.optimize", { uri, ...(source === undefined ? {} : { source }) });
}

/** The kernels of the active document that the last commit has not, or not so. */
async function optimizeChanged(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined) return;
  const committed = await committedText(vscode.extensions.getExtension(GIT), document.uri);
  if ("missing" in committed) {
    const reason = `Not known which kernels changed: ${committed.missing}. Optimize This File takes all of them.`;
    void vscode.window.showInformationMessage(plain(reason));
    return;
  }
  const argument = { uri: document.uri.toString(), before: committed.text };
  const asked = await vscode.commands.executeCommand<{ readonly job_ids?: readonly string[] } | undefined>("kernelopt.optimize", argument);
  if (asked?.job_ids?.length === 0) void vscode.window.showInformationMessage("No kernel of this file changed since the last commit.");
}

async function kernelHere(watch: Watch): Promise<KernelArguments | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const uri = editor.document.uri.toString();
  const kernels = watch.picture.kernels.filter((kernel) => kernel.uri === uri);
  const above = kernels.filter((kernel) => kernel.document_line <= editor.selection.active.line);
  const here = above.toSorted((a, b) => a.document_line - b.document_line).at(-1) ?? kernels[0];
  if (here === undefined) {
    sayThatNoKernelIsKnown();
    return undefined;
  }
  return { uri: here.uri, kernel: here.kernel, ...(here.source === undefined ? {} : { source: here.source }) };
}
