// CUDA cells are shown as CUDA, all others as what the notebook's kernel speaks.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { ICellModel } from "@jupyterlab/cells";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { cudaPart } from "./cuda-cells.ts";
import { CUDA_MIME } from "./files.ts";

export const cellLanguage: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:cell-language",
  description: "CUDA cells are highlighted as CUDA.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, notebooks: INotebookTracker) => {
    notebooks.forEach(follow);
    notebooks.widgetAdded.connect((_, panel) => follow(panel));
  },
};

function follow(panel: NotebookPanel): void {
  const cells = panel.context.model.cells;
  const followed = new WeakSet<ICellModel>();
  const look = (): void => {
    for (const cell of cells) {
      if (cell.type !== "code" || followed.has(cell)) continue;
      const shown = (): void => show(cell, panel.content.codeMimetype);
      followed.add(cell);
      cell.contentChanged.connect(shown);
      cell.mimeTypeChanged.connect(shown); // the notebook and jupyterlab-lsp set it, too
      shown();
    }
  };
  cells.changed.connect(look);
  look();
}

function show(cell: ICellModel, other: string): void {
  const isCuda = cudaPart(cell.sharedModel.getSource()) !== undefined;
  if (isCuda !== (cell.mimeType === CUDA_MIME)) cell.mimeType = isCuda ? CUDA_MIME : other;
}
