// Bundles the extension into dist/extension.js. What only a running server needs is in the same file, but evaluated when it is first imported.
import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node22",
  external: ["vscode"],
  minify: true,
  sourcemap: process.argv.includes("--sourcemap"),
  legalComments: "none",
  logLevel: "warning",
});
