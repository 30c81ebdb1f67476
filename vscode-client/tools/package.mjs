// Builds dist/ and the server's wheel, and packs kernelopt-VERSION.vsix. Two at once do not disturb each other: what is made is moved into place.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { createVSIX } from "@vscode/vsce";

const OWN_PYTHON = "../.venv/bin/python";
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const packedName = `kernelopt-${version}.texts.br`;
const packagePath = `kernelopt-${version}.vsix`;
const part = `kernelopt-${version}.${process.pid}.part.vsix`;
const folder = mkdtempSync(join(tmpdir(), "kernelopt-package-"));

try {
  execFileSync(process.execPath, ["esbuild.mjs"], { stdio: "inherit" });
  packWheel();
  // There is no public repository to name: vsce warns of that, and where a person packs on a terminal it asks whether to go on.
  // Pictures of the README are those inside the package.
  await createVSIX({ packagePath: part, dependencies: false, rewriteRelativeLinks: false });
  renameSync(part, packagePath);
} finally {
  rmSync(part, { force: true });
  rmSync(folder, { recursive: true });
}

// python/make_wheel.py makes the server's wheel of it, once Node's own zlib has unpacked it.
function packWheel() {
  const python = process.env.PYTHON ?? (existsSync(OWN_PYTHON) ? OWN_PYTHON : "python3");
  const texts = join(folder, "texts");
  execFileSync(python, ["tools/wheel.py", texts], { stdio: "inherit" });
  const { BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS } = constants;
  mkdirSync("server", { recursive: true });
  const made = `server/${packedName}.${process.pid}`;
  writeFileSync(made, brotliCompressSync(readFileSync(texts), { params: { [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS } }));
  renameSync(made, `server/${packedName}`);
}
