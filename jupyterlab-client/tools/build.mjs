// Builds jupyter_ext/labextension/ from src/: the same bytes from the same sources, wherever the checkout lies. (The minifier's short names
// follow the paths between this folder and node_modules, so the copy that is built lies at one place below it.)
// `--check` builds beside it and says what differs: what is committed must be what the sources say.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

const SHIPPED = resolve("..", "jupyter_ext", "labextension");
const BUILDER = resolve("node_modules", "@jupyter", "builder", "lib", "build-labextension.js");
const CORE = resolve("node_modules", "@jupyterlab", "core-meta", "core.package.json");

// In a copy, as the builder writes to the place that package.json names.
function build(folder) {
  for (const name of ["package.json", "tsconfig.json", "webpack.config.cjs", "src", "style"]) cpSync(name, join(folder, "client", name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "client", "node_modules"));
  const options = { cwd: join(folder, "client"), stdio: ["ignore", "ignore", "inherit"] };
  execFileSync(process.execPath, [resolve("node_modules", "typescript", "bin", "tsc")], options);
  execFileSync(process.execPath, [BUILDER, "--core-package-file", CORE, "."], { ...options, stdio: "pipe" });
  return join(folder, "jupyter_ext", "labextension");
}

function files(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(names.map((entry) => [join(entry.parentPath, entry.name).slice(folder.length + 1), readFileSync(join(entry.parentPath, entry.name))]));
}

const folder = resolve("build");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
try {
  const made = build(folder);
  if (process.argv.includes("--check")) {
    const [now, then] = [files(made), files(SHIPPED)];
    const names = [...new Set([...now.keys(), ...then.keys()])].filter((name) => !now.get(name)?.equals(then.get(name) ?? Buffer.alloc(0)));
    if (names.length > 0) throw new Error(`jupyter_ext/labextension is not what its sources say (${names.join(", ")}): npm run build`);
  } else {
    rmSync(SHIPPED, { recursive: true, force: true });
    cpSync(made, SHIPPED, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true });
}
