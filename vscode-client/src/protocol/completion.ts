/** `kernelopt/model/complete`: the server asks for an answer of the editor's own model (docs/reference/language-server.md). */

export interface CompletionAsked {
  /** Also the token of `$/progress`, which carries `{text}` as the answer comes. */
  readonly request_id: string;
  readonly role: "planner" | "coder" | "summariser";
  readonly messages: readonly { readonly author: "system" | "user" | "assistant"; readonly text: string }[];
  readonly max_output_tokens: number;
}

export interface Completed {
  readonly text: string;
  readonly model_id: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  /** It was ended at `max_output_tokens`. */
  readonly is_cut?: boolean;
}

/** Why there is no answer; stands in the error's `data.kind`. */
export type RefusalKind = "no_consent" | "no_model" | "quota" | "blocked" | "cancelled";

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
