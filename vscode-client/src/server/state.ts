/** What the language server is doing, and why it is not: values only, nothing of VS Code. */

export type ServerState =
  | { readonly kind: "idle" }
  | { readonly kind: "installing" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly failure: Failure };

/** A reason that a person can mend; each has a button (see `failures.ts`). */
export type Failure =
  | { readonly kind: "python_missing"; readonly setting: string }
  | { readonly kind: "package_missing"; readonly python: string; readonly detail: string }
  | { readonly kind: "crashed"; readonly detail: string };
