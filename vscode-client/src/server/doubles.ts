/** Errors and warnings of a compiler that clangd says, too, on the same line: shown once, by clangd. Values only. */

/** Of a diagnostic, as far as it is read here. */
export interface Said {
  /** VS Code's: 0 is an error, 1 a warning. */
  readonly severity: number;
  readonly source?: string | undefined;
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

const OURS = "kernelopt"; // findings, which no compiler has
const CLANGD: readonly (string | undefined)[] = ["clang", "clang-tidy"];
const QUOTED = /["'‘]([^"'‘’]+)["'’]/g;

/** What the server says of documents, shown anew when clangd's diagnostics change. */
export class Doubles<Uri, Diagnostic extends Said> {
  /** All diagnostics of a document, of whatever source. */
  readonly #all: (uri: Uri) => readonly Said[];
  readonly #known = new Map<string, Known<Uri, Diagnostic>>();

  constructor(all: (uri: Uri) => readonly Said[]) {
    this.#all = all;
  }

  /** Hands to `next` what clangd does not say. */
  show(uri: Uri, diagnostics: Diagnostic[], next: Next<Uri, Diagnostic>): void {
    const shown = withoutDoubles(diagnostics, this.#all(uri));
    if (diagnostics.length > 0) this.#known.set(String(uri), { uri, diagnostics, next, shown });
    else this.#known.delete(String(uri));
    next(uri, shown);
  }

  /** Diagnostics of these documents changed, ours among them. */
  changed(uris: readonly Uri[]): void {
    for (const changed of uris) {
      const known = this.#known.get(String(changed));
      if (known === undefined) continue;
      const { diagnostics, next, shown, uri } = known;
      const now = withoutDoubles(diagnostics, this.#all(uri));
      if (now.length !== shown.length || now.some((diagnostic, index) => diagnostic !== shown[index])) this.show(uri, diagnostics, next);
    }
  }
}

interface Known<Uri, Diagnostic> {
  readonly uri: Uri;
  readonly diagnostics: Diagnostic[];
  readonly next: Next<Uri, Diagnostic>;
  readonly shown: Diagnostic[];
}

export type Next<Uri, Diagnostic> = (uri: Uri, diagnostics: Diagnostic[]) => void;

/** `ours` without what the compiler says of a name that clangd names on the same line, at least as severely. */
export function withoutDoubles<Diagnostic extends Said>(ours: readonly Diagnostic[], all: readonly Said[]): Diagnostic[] {
  const clangs = all.filter(({ source }) => CLANGD.includes(source));
  return ours.filter((mine) => mine.source === OURS || !clangs.some((other) => other.severity <= mine.severity && isSame(mine, other)));
}

function isSame(mine: Said, other: Said): boolean {
  const named = quoted(other.message);
  return mine.range.start.line === other.range.start.line && quoted(mine.message).some((name) => named.includes(name));
}

/** `missing` of `identifier "missing" is undefined` and of `use of undeclared identifier 'missing'`. */
function quoted(message: string): readonly string[] {
  return [...message.matchAll(QUOTED)].map((found) => found[1] ?? "");
}
