/** What allows a webview's own script and style, and nothing else. */

const BYTES = 16;

export function newNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(BYTES))).toString("hex");
}
