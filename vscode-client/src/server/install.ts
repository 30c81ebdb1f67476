/**
 * The server's private environment: one folder for each version of the extension, made from the wheel inside it. Nothing of VS Code.
 *
 * The wheel's dependencies come from the package index that pip is set up for; with `PIP_NO_INDEX` and `PIP_FIND_LINKS`, from a folder.
 */

import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

import { findPython, ISOLATED, run } from "./python.ts";
import type { Failure } from "./state.ts";

const DEADLINE_MS = 15 * 60_000;
const LAST_WORDS = 400;
const COMPILE = "import compileall, sysconfig; compileall.compile_dir(sysconfig.get_path('purelib'), quiet=2)";
/** Of an environment of another version: a window that was not reloaded may still run it. */
const UNUSED_MS = 14 * 24 * 60 * 60_000;

export interface Place {
  /** Where environments are kept. */
  readonly folder: string;
  readonly version: string;
  /** kernelopt's own package, as `tools/package.mjs` packs it. */
  readonly packed: string;
  /** `python/make_wheel.py`, which makes a wheel of that. */
  readonly makeWheel: string;
}

export interface Installation {
  readonly pythons: readonly string[];
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The Python of a version's environment, whether it is there or not. */
export function privatePython(place: Place): string {
  return inside(join(place.folder, place.version));
}

export async function isInstalled(place: Place): Promise<boolean> {
  return await access(privatePython(place)).then(
    () => true,
    () => false,
  );
}

/** Notes that a server is started in it, so that it is not taken for one that is not used. */
export async function markUsed(place: Place): Promise<void> {
  const now = new Date();
  await utimes(join(place.folder, place.version), now, now).catch(() => undefined); // it may belong to somebody else
}

/** Makes the environment, anew where it is there and maybe broken; why that cannot be done, else undefined. A part-made one is never left under its final name. */
export async function install(place: Place, how: Installation): Promise<Failure | undefined> {
  const base = await findPython(how.pythons);
  if (base === undefined) return { kind: "no_python", looked: how.pythons };
  await mkdir(place.folder, { recursive: true });
  const isRepair = await isInstalled(place);
  const part = join(place.folder, `${place.version}.${process.pid}.part`);
  try {
    const failure = await fill(place, how, base, part);
    if (failure === undefined) await moveIntoPlace(place, part, isRepair);
    return failure;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** Compiles what `install` has put there, which pip would do while the person waits: limited workers cannot keep what they compile. */
export async function compileAhead(place: Place): Promise<void> {
  await run(privatePython(place), [ISOLATED, "-c", COMPILE], { deadlineMs: DEADLINE_MS });
}

/** Puts the extension's own wheel into a Python that is the user's. */
export async function installInto(python: string, place: Place, how: Installation): Promise<Failure | undefined> {
  return await withWheel(python, place, how, (wheel) => pip(python, [wheel], how));
}

/** Adds NVIDIA's compilers to the environment. */
export async function installCompilers(place: Place, how: Installation): Promise<Failure | undefined> {
  return await pip(privatePython(place), [`kernelopt[cuda]==${place.version}`], how);
}

async function fill(place: Place, how: Installation, base: string, part: string): Promise<Failure | undefined> {
  return await withWheel(base, place, how, async (wheel) => {
    const made = await run(base, [ISOLATED, "-m", "venv", part], { deadlineMs: DEADLINE_MS, onText: how.onText, signal: how.signal });
    if (how.signal.aborted) return { kind: "cancelled" };
    if (made.code !== 0) return { kind: "no_venv", python: base, detail: lastWords(made.output) };
    return await pip(inside(part), ["--no-compile", wheel], how);
  });
}

/** What `use` returns of the extension's own wheel, which `python` makes: an extension that was cut off is noticed before anything else is made. */
async function withWheel(python: string, place: Place, how: Installation, use: (wheel: string) => Promise<Failure | undefined>): Promise<Failure | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "kernelopt-"));
  try {
    const texts = join(folder, "kernelopt.texts");
    const wheel = join(folder, `kernelopt-${place.version}-py3-none-any.whl`);
    await pipeline(createReadStream(place.packed), createBrotliDecompress(), createWriteStream(texts));
    return (await runPython(python, [place.makeWheel, texts, wheel], how)) ?? (await use(wheel));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pip(python: string, what: readonly string[], how: Installation): Promise<Failure | undefined> {
  const quietly = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"];
  return await runPython(python, ["-m", "pip", "install", ...quietly, ...what], how);
}

async function runPython(python: string, args: readonly string[], how: Installation): Promise<Failure | undefined> {
  const ended = await run(python, [ISOLATED, ...args], { deadlineMs: DEADLINE_MS, onText: how.onText, signal: how.signal });
  if (how.signal.aborted) return { kind: "cancelled" };
  return ended.code === 0 ? undefined : { kind: "install_failed", detail: lastWords(ended.output) };
}

/** Another window may have been faster: then its environment stays. One that was there before is replaced; those of other versions go once unused. */
async function moveIntoPlace(place: Place, part: string, isRepair: boolean): Promise<void> {
  const wanted = join(place.folder, place.version);
  await rename(part, wanted).catch(async () => {
    if (!isRepair && (await isInstalled(place))) return;
    const broken = `${part}.old.part`;
    await rename(wanted, broken);
    await rename(part, wanted);
    await rm(broken, { recursive: true, force: true });
  });
  await markUsed(place);
  for (const name of await readdir(place.folder)) {
    if (name !== place.version && !name.endsWith(".part")) await removeUnused(join(place.folder, name));
  }
}

async function removeUnused(environment: string): Promise<void> {
  const { mtimeMs } = await stat(environment);
  if (Date.now() - mtimeMs > UNUSED_MS) await rm(environment, { recursive: true, force: true });
}

function inside(environment: string): string {
  return process.platform === "win32" ? join(environment, "Scripts", "python.exe") : join(environment, "bin", "python");
}

/** The line that pip ends with says why; what comes before is in the log. */
function lastWords(output: string): string {
  const lines = output.trim().split("\n").map((line) => line.trim());
  const error = lines.findLast((line) => line.startsWith("ERROR:")) ?? lines.at(-1) ?? "";
  return error.slice(0, LAST_WORDS);
}
