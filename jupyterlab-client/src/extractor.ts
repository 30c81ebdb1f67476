// Tells jupyterlab-lsp which cells of a notebook are CUDA, so that our language server's diagnostics and hovers stand inside of them.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { type IExtractedCode, type IForeignCodeExtractor, ILSPCodeExtractorsManager, ILSPDocumentConnectionManager } from "@jupyterlab/lsp";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { cudaPart } from "./cuda-cells.ts";

const HOST = "python"; // the language of notebooks whose cells have magics

export const cudaCells: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:cells",
  description: "CUDA cells of notebooks for language servers.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ILSPCodeExtractorsManager, ILSPDocumentConnectionManager],
  activate: (
    _app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    extractors: ILSPCodeExtractorsManager | null,
    documents: ILSPDocumentConnectionManager | null,
  ) => {
    extractors?.register(new CudaExtractor(), HOST);
    if (documents !== null) notebooks.widgetAdded.connect((_, panel) => void lookInto(panel, documents).catch(console.warn));
  },
};

// Without a language server for Python, JupyterLab would look into a notebook's cells only once one is edited.
async function lookInto(panel: NotebookPanel, documents: ILSPDocumentConnectionManager): Promise<void> {
  await panel.sessionContext.ready;
  const adapter = documents.adapters.get(panel.context.path);
  await adapter?.ready;
  await adapter?.updateDocuments();
}

// Each cell is a source of its own: two cells may define the same kernel.
class CudaExtractor implements IForeignCodeExtractor {
  readonly language = "cuda";
  readonly fileExtension = "cu";
  readonly standalone = true;
  readonly cellType = ["code"];

  hasForeignCode(code: string): boolean {
    return cudaPart(code) !== undefined;
  }

  extractForeignCode(code: string): IExtractedCode[] {
    const part = cudaPart(code);
    if (part === undefined) return [{ hostCode: code, foreignCode: null, range: null, virtualShift: null }];
    const lines = code.split("\n");
    const start = { line: part.line, column: 0 };
    const end = { line: lines.length - 1, column: lines.at(-1)?.length ?? 0 };
    return [{ hostCode: "", foreignCode: part.code, range: { start, end }, virtualShift: null }];
  }
}
