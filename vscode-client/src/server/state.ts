/** What the language server is doing, and why it is not: values only, nothing of VS Code. */

export type ServerState =
  | { readonly kind: "idle" }
  | { readonly kind: "installing" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly failure: Failure };

/** A reason that a person can fix; `failures.ts` has the words and the buttons. */
export type Failure =
  /** No person has agreed to the private environment. */
  | { readonly kind: "not_installed" }
  /** No Python that is new enough was found. */
  | { readonly kind: "no_python"; readonly looked: readonly string[] }
  /** The base Python cannot make environments (Debian packages `venv` apart). */
  | { readonly kind: "no_venv"; readonly python: string; readonly detail: string }
  /** The package index, or the network to it, said no. */
  | { readonly kind: "install_failed"; readonly detail: string }
  /** A person has cancelled what was installed. */
  | { readonly kind: "cancelled" }
  /** `kernelopt.server.python` is no program. */
  | { readonly kind: "python_missing"; readonly python: string }
  | { readonly kind: "python_too_old"; readonly python: string }
  /** `kernelopt.server.python` has no kernelopt of this version that works. */
  | { readonly kind: "package_missing"; readonly python: string }
  /** It was started and did not answer; `isPrivate`: in the extension's own environment, which can be made anew. */
  | { readonly kind: "start_failed"; readonly detail: string; readonly isPrivate: boolean }
  /** It runs, but is not the one that belongs to this extension. */
  | { readonly kind: "other_version"; readonly version: string; readonly wanted: string }
  | { readonly kind: "crashed"; readonly count: number };
