// Builds dist/ and the server's wheel, and packs kernelopt-VERSION.vsix. Two at once do not disturb each other: what is made is moved into place.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { createVSIX } from "@vscode/vsce";

const LIMIT_BYTES = 2_000_000;
const OWN_PYTHON = "../.venv/bin/python";
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const wheelName = `kernelopt-${version}-py3-none-any.whl`;
const packagePath = `kernelopt-${version}.vsix`;
const part = `kernelopt-${version}.${process.pid}.part.vsix`;
const folder = mkdtempSync(join(tmpdir(), "kernelopt-package-"));

try {
  execFileSync(process.execPath, ["esbuild.mjs"], { stdio: "inherit" });
  packWheel();
  // There is no public repository to link to: pictures of the README are those inside the package.
  await createVSIX({ packagePath: part, dependencies: false, allowMissingRepository: true, rewriteRelativeLinks: false });
  const bytes = statSync(part).size;
  if (bytes > LIMIT_BYTES) throw new Error(`${packagePath} takes ${bytes} bytes, more than ${LIMIT_BYTES}`);
  renameSync(part, packagePath);
} finally {
  rmSync(part, { force: true });
  rmSync(folder, { recursive: true });
}

// The wheel as one stream takes half of what it takes as a zip of many small files; the extension unpacks it with Node's own zlib.
function packWheel() {
  const python = process.env.PYTHON ?? (existsSync(OWN_PYTHON) ? OWN_PYTHON : "python3");
  execFileSync(python, ["tools/wheel.py", join(folder, "wheel")], { stdio: "inherit" });
  const wheel = join(folder, "wheel", wheelName);
  if (!existsSync(wheel)) throw new Error(`${wheelName} was not built: pyproject.toml and package.json must name the same version`);
  const { BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS } = constants;
  mkdirSync("server", { recursive: true });
  const made = `server/${wheelName}.br.${process.pid}`;
  writeFileSync(made, brotliCompressSync(readFileSync(wheel), { params: { [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS } }));
  renameSync(made, `server/${wheelName}.br`);
}
