// Bundles the extension into dist/extension.js. What only a running server needs is in the same file, but evaluated when it is first imported.
import { build } from "esbuild";

const shared = { bundle: true, minify: true, sourcemap: process.argv.includes("--sourcemap"), legalComments: "none", logLevel: "warning" };

await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  format: "cjs",
  target: "node22",
  external: ["vscode"],
});

// The profile panel's side in its webview.
await build({
  ...shared,
  entryPoints: { panel: "webview/main.ts" },
  outdir: "dist",
  format: "iife",
  target: "chrome128",
});
await build({ ...shared, entryPoints: ["webview/panel.css"], outdir: "dist", target: "chrome128" });
