// Puts an accepted edit into the judged cell, found by its id, as one undoable step; refused if the cell changed since. A kernel that was
// written for a task comes in a new cell below the task's.
//
// The kernel opens a comm for each edit (replacing.ts says what is spoken), so nothing is lost when the page is loaded again. While both
// live, the kernel hears when the edit is undone or done again in the editor.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { ICellModel } from "@jupyterlab/cells";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { type Answer, type NewCell, parseRequest, refused, type Replacement, smallestEdit, TARGET } from "./replacing.ts";

const SUBSHELL_MS = 2000;

export const cellReplacement: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:replacement",
  description: "Accepted edits go into the cell that was judged.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, notebooks: INotebookTracker) => {
    notebooks.forEach(listen);
    notebooks.widgetAdded.connect((_, panel) => listen(panel));
  },
};

// For as long as the notebook is open, whichever kernel runs it.
function listen(panel: NotebookPanel): void {
  const register = (): void => {
    const kernel = panel.sessionContext.session?.kernel;
    // Not awaited: no message of the kernel is read before this has returned.
    kernel?.registerCommTarget(TARGET, (comm, message) => void answer(panel, kernel, comm, message).catch(console.warn));
  };
  panel.sessionContext.kernelChanged.connect(register);
  register();
}

async function answer(panel: NotebookPanel, kernel: Kernel.IKernelConnection, comm: Kernel.IComm, message: KernelMessage.ICommOpenMsg): Promise<void> {
  const request = parseRequest(message.content.data);
  const edit = request !== undefined && "cellId" in request ? request : undefined;
  const cell = edit === undefined ? undefined : find(panel, edit.cellId);
  const outcome = edit !== undefined && cell !== undefined ? replace(panel, cell, edit) : request === undefined ? refused("protocol") : below(panel, request);
  await untilHeard(kernel, comm);
  say(comm, outcome);
  if (outcome.status === "done" && edit !== undefined && cell !== undefined) watch(panel, cell, comm, edit);
  // Else the kernel closes, once it has heard: closing here ends the subshell, and what that one has not read is lost.
}

// Until the comm's subshell runs: what is said before goes to the kernel's main thread, which hears nothing while a cell runs.
async function untilHeard(kernel: Kernel.IKernelConnection, comm: Kernel.IComm): Promise<void> {
  if (!kernel.supportsSubshells) return;
  const { subshellStarted } = comm as { subshellStarted?: Promise<void> }; // of CommHandler; the interface leaves it out
  const late = new Promise((resolve) => setTimeout(resolve, SUBSHELL_MS)); // never started where the user turned subshells off
  await Promise.race([subshellStarted, late]).catch(console.warn);
}

function find(panel: NotebookPanel, cellId: string): ICellModel | undefined {
  for (const cell of panel.content.model?.cells ?? []) if (cell.id === cellId) return cell;
  return undefined;
}

function below(panel: NotebookPanel, request: Replacement | NewCell): Answer {
  if ("cellId" in request) return refused("missing");
  const shared = panel.content.model?.sharedModel;
  const index = shared?.cells.findIndex((cell) => cell.id === request.belowId) ?? -1;
  if (shared === undefined || index < 0) return refused("missing");
  if (panel.content.model?.readOnly === true) return refused("read_only");
  shared.insertCell(index + 1, { cell_type: "code", source: request.code, metadata: {}, outputs: [] });
  return { status: "done" };
}

function replace(panel: NotebookPanel, cell: ICellModel, request: Replacement): Answer {
  const source = cell.sharedModel.getSource();
  if (source !== request.expected) return refused("changed");
  if (panel.content.model?.readOnly === true || cell.getMetadata("editable") === false) return refused("read_only");
  const { start, end, text } = smallestEdit(source, request.replacement);
  endUndoStep(cell); // what was typed before is a step of its own
  cell.sharedModel.updateSource(start, end, text);
  endUndoStep(cell);
  return { status: "done" };
}

function endUndoStep(cell: ICellModel): void {
  const { undoManager } = cell.sharedModel as { undoManager?: { stopCapturing(): void } | null }; // of YBaseCell; the interface leaves it out
  undoManager?.stopCapturing();
}

// Says when the cell holds the one or the other text again, until either side ends.
function watch(panel: NotebookPanel, cell: ICellModel, comm: Kernel.IComm, request: Replacement): void {
  let said: Answer["status"] = "done";
  const look = (): void => {
    const source = cell.sharedModel.getSource();
    const now = source === request.replacement ? "done" : source === request.expected ? "undone" : said;
    if (now === said) return;
    said = now;
    say(comm, { status: now } as Answer);
  };
  const end = (): void => {
    cell.contentChanged.disconnect(look);
    panel.content.model?.cells.changed.disconnect(closeIfGone);
    panel.disposed.disconnect(close);
  };
  const close = (): void => {
    end();
    if (!comm.isDisposed) comm.close();
  };
  const closeIfGone = (): void => {
    if (find(panel, request.cellId) === undefined) close();
  };
  comm.onClose = end;
  cell.contentChanged.connect(look);
  panel.content.model?.cells.changed.connect(closeIfGone);
  panel.disposed.connect(close);
  look(); // it may have been undone already
}

function say(comm: Kernel.IComm, message: Answer): void {
  if (!comm.isDisposed) comm.send({ ...message });
}
