// What the kernel may ask of a page that shows its notebook, and what is answered. Pure; `jupyter_ext/cells.py` is the other end.

export const TARGET = "kernelopt.cells";
export const PROTOCOL = 1;

export interface Replacement {
  readonly cellId: string;
  readonly expected: string; // the whole source of the cell, its magic line included
  readonly replacement: string;
}

export interface NewCell {
  readonly belowId: string;
  readonly code: string;
}

export type Reason = "changed" | "missing" | "read_only" | "protocol";

export type Answer =
  | { readonly status: "done" }
  | { readonly status: "undone" }
  | { readonly status: "refused"; readonly reason: Reason; readonly message: string };

const SAID: Record<Reason, string> = {
  changed: "the cell changed since its text was judged",
  missing: "the notebook has no such cell any more",
  read_only: "the cell cannot be edited",
  protocol: "the JupyterLab extension of kernelopt is of another version than the kernel's",
};

export function refused(reason: Reason): Answer {
  return { status: "refused", reason, message: SAID[reason] };
}

// The request in a comm's first message; undefined for one of another protocol.
export function parseRequest(data: unknown): Replacement | NewCell | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { protocol, request, cell_id: cellId, expected, replacement, code } = data as Record<string, unknown>;
  if (protocol !== PROTOCOL || typeof cellId !== "string") return undefined;
  if (request === "insert" && typeof code === "string") return { belowId: cellId, code };
  if (request !== "replace" || typeof expected !== "string" || typeof replacement !== "string") return undefined;
  return { cellId, expected, replacement };
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

// The one edit from `before` to `after` that touches the least: what is equal at both ends, cursors and folds included, stays.
export function smallestEdit(before: string, after: string): Edit {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  if (isInsidePair(before, start) || isInsidePair(after, start)) start--;
  let kept = 0;
  while (kept < most - start && before[before.length - 1 - kept] === after[after.length - 1 - kept]) kept++;
  if (isInsidePair(before, before.length - kept) || isInsidePair(after, after.length - kept)) kept--;
  return { start, end: before.length - kept, text: after.slice(start, after.length - kept) };
}

// Whether an offset stands between the two halves of one character.
function isInsidePair(text: string, offset: number): boolean {
  return offset > 0 && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(offset - 1, offset + 1));
}
