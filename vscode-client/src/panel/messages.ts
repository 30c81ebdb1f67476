/** What the panel's two sides tell each other. */

/** To the webview. */
export type ToPanel =
  | { readonly kind: "show"; readonly uri: string; readonly title: string; readonly body: string }
  /** Draw yourself, for a file. */
  | { readonly kind: "draw"; readonly as: "html" | "png" };

/** From the webview. */
export type FromPanel =
  | { readonly kind: "ready" }
  | { readonly kind: "goTo"; readonly line: number }
  | { readonly kind: "profile" }
  | { readonly kind: "drawn"; readonly as: "html"; readonly body: string; readonly theme: string; readonly themeClass: string }
  /** Base64. */
  | { readonly kind: "drawn"; readonly as: "png"; readonly data: string }
  | { readonly kind: "failed"; readonly what: string };
