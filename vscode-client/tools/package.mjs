// Builds dist/ and the server's wheel, and packs kernelopt-VERSION.vsix.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import { createVSIX } from "@vscode/vsce";

const LIMIT_BYTES = 1_000_000;
const OWN_PYTHON = "../.venv/bin/python";
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const packagePath = `kernelopt-${version}.vsix`;
const wheel = `server/kernelopt-${version}-py3-none-any.whl`;
const python = process.env.PYTHON ?? (existsSync(OWN_PYTHON) ? OWN_PYTHON : "python3");

execFileSync(process.execPath, ["esbuild.mjs"], { stdio: "inherit" });
execFileSync(python, ["tools/wheel.py", "server"], { stdio: "inherit" });
if (!existsSync(wheel)) throw new Error(`${wheel} was not built: pyproject.toml and package.json must name the same version`);
pack(wheel);
// There is no public repository to link to: pictures of the README are those inside the package.
await createVSIX({ packagePath, dependencies: false, allowMissingRepository: true, rewriteRelativeLinks: false });
const bytes = statSync(packagePath).size;
if (bytes > LIMIT_BYTES) throw new Error(`${packagePath} takes ${bytes} bytes, more than ${LIMIT_BYTES}`);

// The wheel as one stream takes half of what it takes as a zip of many small files; the extension unpacks it with Node's own zlib.
function pack(path) {
  const { BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS } = constants;
  writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params: { [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS } }));
  rmSync(path);
}
