/** What VS Code's language model errors mean to the server. Values only. */

import { Refusal, type RefusalKind } from "../protocol/completion.ts";

/** The parts of `LanguageModelError` that tell. */
interface Told {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

const BY_CODE: Readonly<Record<string, RefusalKind>> = {
  NoPermissions: "no_consent",
  NotFound: "no_model",
  Blocked: "blocked",
  Canceled: "cancelled",
};
/** Providers name it differently; VS Code's own documentation lists quota under `Blocked` and leaves the rest to the cause. */
const QUOTA = /quota|rate.?limit|too many requests|\b429\b/i;
const CANCELLED = /^cancell?ed$/i;

/** The refusal that an error of `sendRequest`, or of reading its answer, stands for. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code, message, cause } = typeof error === "object" && error !== null ? (error as Told) : {};
  const words = typeof message === "string" && message !== "" ? message : String(error);
  const all = `${String(code ?? "")} ${words} ${cause === undefined ? "" : String(cause)}`;
  if (CANCELLED.test(words)) return new Refusal("cancelled", words);
  if (QUOTA.test(all)) return new Refusal("quota", words);
  return new Refusal(BY_CODE[String(code)] ?? "blocked", words);
}
