// Builds dist/ and packs kernelopt-VERSION.vsix.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { createVSIX } from "@vscode/vsce";

const LIMIT_BYTES = 1_000_000;
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const packagePath = `kernelopt-${version}.vsix`;

execFileSync(process.execPath, ["esbuild.mjs"], { stdio: "inherit" });
await createVSIX({ packagePath, dependencies: false, allowMissingRepository: true });
const bytes = statSync(packagePath).size;
if (bytes > LIMIT_BYTES) throw new Error(`${packagePath} takes ${bytes} bytes, more than ${LIMIT_BYTES}`);
