/** Whether a document is one that the server looks at: the server is started by the first of them. */

const CUDA_LANGUAGES: ReadonlySet<string> = new Set(["cuda-cpp", "cuda"]);
const CUDA_NAMES = /\.cuh?$/;
const CUDA_WORDS = /__global__|%%(?:kernelopt|cu|cuda)\b/;

/** The parts of VS Code's document that this needs. */
export interface Looked {
  readonly languageId: string;
  readonly fileName: string;
  getText(): string;
}

export function isCuda(document: Looked): boolean {
  if (CUDA_LANGUAGES.has(document.languageId) || CUDA_NAMES.test(document.fileName)) return true;
  return document.languageId === "python" && mentionsCuda(document.getText());
}

/** Whether Python text has a kernel in a string, or a CUDA cell. */
export function mentionsCuda(text: string): boolean {
  return CUDA_WORDS.test(text);
}
