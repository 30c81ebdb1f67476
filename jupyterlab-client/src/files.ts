// .cu and .cuh files, and cells of CUDA: shown with the C++ highlighting that JupyterLab has, told to language servers as `cuda`.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { withMagicLine } from "./magic-line.ts";

export const CUDA_MIME = "text/x-cuda";

export const cudaFiles: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:files",
  description: "CUDA files and their language.",
  autoStart: true,
  requires: [IEditorLanguageRegistry],
  activate: (app: JupyterFrontEnd, languages: IEditorLanguageRegistry) => {
    app.docRegistry.addFileType({
      name: "cuda",
      displayName: "CUDA",
      mimeTypes: [CUDA_MIME],
      extensions: [".cu", ".cuh"],
      fileFormat: "text",
      contentType: "file",
    });
    const cpp = languages.findByMIME("text/x-c++src");
    const load = cpp?.load?.bind(cpp);
    languages.addLanguage({
      name: "cuda",
      displayName: "CUDA",
      mime: CUDA_MIME,
      extensions: ["cu", "cuh"],
      ...(load === undefined ? {} : { load: async () => withMagicLine(await load()) }),
    });
  },
};
