/** Whole documents around the panel's body: the one in VS Code, and one that stands for itself. */

import { html, Markup } from "./markup.ts";

/** What the webview's document is made with. */
export interface Frame {
  readonly title: string;
  /** Buttons below the title. */
  readonly toolbar: Markup;
  readonly nonce: string;
  readonly styleUri: string;
  readonly scriptUri: string;
}

/** What a person can do with a profile. */
export const PROFILE_TOOLBAR = html`<div role="toolbar" aria-label="Profile">
<button type="button" data-command="profile">Profile again</button>
<button type="button" data-command="code" aria-pressed="false">Show all machine code</button>
<button type="button" data-command="html">Export as HTML…</button>
<button type="button" data-command="png">Export as PNG…</button>
</div>`;

/** Nothing is loaded but our own style and script, nothing is sent anywhere; drawings are exported through data: images. */
export function webviewDocument(frame: Frame): string {
  const policy = `default-src 'none'; style-src 'nonce-${frame.nonce}'; script-src 'nonce-${frame.nonce}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${frame.title}</title>
<link rel="stylesheet" nonce="${frame.nonce}" href="${frame.styleUri}">
</head>
<body>
<header>
<h1>${frame.title}</h1>
${frame.toolbar}
</header>
<main id="main" aria-live="off" aria-busy="true"><p class="soft">Loading…</p></main>
<script nonce="${frame.nonce}" src="${frame.scriptUri}"></script>
</body>
</html>`.text;
}

/** What an exported page is made of. */
export interface Standalone {
  readonly title: string;
  /** Markup of the panel's body. */
  readonly body: string;
  /** The panel's style. */
  readonly style: string;
  /** The theme's colours, as declarations of custom properties. */
  readonly theme: string;
  /** VS Code's class for the kind of theme. */
  readonly themeClass: string;
  /** Of style text, base64; for the page's own policy. */
  readonly sha256: (text: string) => string;
}

/** One file without a script and without anything to load, in the colours that it was seen in. */
export function standaloneDocument(page: Standalone): string {
  const style = `:root{${page.theme}}\n${page.style}`;
  const policy = `default-src 'none'; style-src 'sha256-${page.sha256(style)}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${page.title}</title>
<style>${new Markup(style)}</style>
</head>
<body class="${page.themeClass} standalone">
<header><h1>${page.title}</h1></header>
<main id="main">${new Markup(page.body)}</main>
</body>
</html>
`.text;
}
