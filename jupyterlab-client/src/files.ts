// .cu and .cuh are CUDA files: shown with the C++ highlighting that JupyterLab has, told to language servers as `cuda`.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { IEditorLanguageRegistry } from "@jupyterlab/codemirror";

const MIME = "text/x-cuda";

export const cudaFiles: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:files",
  description: "CUDA files and their language.",
  autoStart: true,
  requires: [IEditorLanguageRegistry],
  activate: (app: JupyterFrontEnd, languages: IEditorLanguageRegistry) => {
    app.docRegistry.addFileType({
      name: "cuda",
      displayName: "CUDA",
      mimeTypes: [MIME],
      extensions: [".cu", ".cuh"],
      fileFormat: "text",
      contentType: "file",
    });
    const cpp = languages.findByMIME("text/x-c++src");
    languages.addLanguage({
      name: "cuda",
      displayName: "CUDA",
      mime: MIME,
      extensions: ["cu", "cuh"],
      ...(cpp?.load === undefined ? {} : { load: cpp.load.bind(cpp) }),
    });
  },
};
