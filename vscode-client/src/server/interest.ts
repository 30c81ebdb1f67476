/** Whether a document is one that the server looks at: the server is started by the first of them. */

const CUDA_LANGUAGES: ReadonlySet<string> = new Set(["cuda-cpp", "cuda"]);
const CUDA_NAMES = /\.cuh?$/;
/** A kernel in a string, a CUDA cell, or a PyTorch task or candidate, as the server finds them. */
const PYTHON_WORDS = /__global__|%%(?:kernelopt|cu|cuda)\b|\bdef get_inputs\b|\bclass ModelNew\b/;
/** Endings of C++ headers, which are CUDA where their text has device code. As the server has them. */
export const HEADER_ENDINGS = ["h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tpp"] as const;
const HEADER_NAMES = new RegExp(`\\.(?:${HEADER_ENDINGS.join("|")})$`, "i");
const HEADER_WORDS = /\b__(?:global|device)__\b/;

/** The parts of VS Code's document that this needs. */
export interface Looked {
  readonly languageId: string;
  readonly fileName: string;
  getText(): string;
}

export function isCuda(document: Looked): boolean {
  return isCudaByName(document) || (wordsOf(document)?.test(document.getText()) ?? false);
}

/** Whether it is a C++ header by its name and its language, and CUDA by its text. */
export function isCudaHeader(document: Looked): boolean {
  return !isCudaByName(document) && HEADER_NAMES.test(document.fileName) && HEADER_WORDS.test(document.getText());
}

/** What makes the server look at a document whose name does not: a kernel, a CUDA cell or a PyTorch task in Python, device code of a header. */
export function wordsOf(document: Omit<Looked, "getText">): RegExp | undefined {
  if (document.languageId === "python") return PYTHON_WORDS;
  return HEADER_NAMES.test(document.fileName) ? HEADER_WORDS : undefined;
}

function isCudaByName(document: Looked): boolean {
  return CUDA_LANGUAGES.has(document.languageId) || CUDA_NAMES.test(document.fileName);
}
