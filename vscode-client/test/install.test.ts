import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";

import { explain } from "../src/server/failures.ts";
import { compileAhead, type Installation, install, installInto, isInstalled, markUsed, type Place, privatePython } from "../src/server/install.ts";
import { findPython, isNewEnough, packaged } from "../src/server/python.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "kernelopt-install-"));
after(() => rmSync(FOLDER, { recursive: true }));

const MAKE_WHEEL = join(import.meta.dirname, "..", "python", "make_wheel.py");

/** Packed texts of a wheel that is one module, and needs what `requires` says. */
function packed(version: string, requires: string): Buffer {
  const info = `kernelopt-${version}.dist-info`;
  const needs = requires === "" ? "" : `Requires-Dist: ${requires}\n`;
  const texts = {
    "assistant/__main__.py": "print('here')",
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: kernelopt\nVersion: ${version}\n${needs}`,
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  };
  const index = JSON.stringify(Object.entries(texts).map(([name, text]) => [name, text.length]));
  return Buffer.from(`${index}\n${Object.values(texts).join("")}`);
}

const PYTHON = await findPython(["python3.13", "python3.12", "python3.11", "python3"]);

function place(name: string, version: string, requires = ""): Place {
  const texts = join(FOLDER, `kernelopt-${version}.texts.br`);
  writeFileSync(texts, brotliCompressSync(packed(version, requires)));
  return { folder: join(FOLDER, name), version, packed: texts, makeWheel: MAKE_WHEEL };
}

function how(pythons: readonly string[] = [PYTHON ?? ""]): Installation {
  return { pythons, onText: () => undefined, signal: new AbortController().signal };
}

/** The installed package of a version's environment. */
function ours(of: Place): string {
  const lib = join(of.folder, of.version, "lib");
  return join(lib, readdirSync(lib)[0] ?? "", "site-packages", "assistant");
}

test("the server gets an environment of its own; installing again fixes one that is broken, and that of another version goes once nobody uses it", async () => {
  const old = place("ok", "0.0.1");
  assert.equal(await install(old, how()), undefined);
  assert.equal(await packaged(privatePython(old), "0.0.1"), "usable");
  assert.equal(execFileSync(privatePython(old), ["-m", "assistant"], { encoding: "utf8" }).trim(), "here");

  await compileAhead(old);
  assert.deepEqual(readdirSync(join(ours(old), "__pycache__")).map((name) => name.split(".")[0]), ["__main__"], "compiled after the wait");

  const now = place("ok", "0.0.2");
  assert.equal(await isInstalled(now), false);
  assert.equal(await install(now, how()), undefined);
  assert.deepEqual(readdirSync(now.folder), ["0.0.1", "0.0.2"], "a window that was not reloaded may still run it");
  assert.equal(await packaged(privatePython(now), "0.0.1"), "no_package");

  rmSync(ours(now), { recursive: true });
  assert.equal(await packaged(privatePython(now), "0.0.2"), "no_package");
  utimesSync(join(old.folder, "0.0.1"), 0, 0);
  await markUsed(now);
  assert.equal(await install(now, how()), undefined);
  assert.equal(await packaged(privatePython(now), "0.0.2"), "usable");
  assert.deepEqual(readdirSync(now.folder), ["0.0.2"]);

  const inside = place("own", "0.0.7");
  assert.equal(await installInto(privatePython(now), inside, how()), undefined);
  assert.equal(await packaged(privatePython(now), "0.0.7"), "usable", "what is inside the extension goes into any Python that it is asked for");
});

test("a Python that is too old is told to be, whatever else it lacks", async () => {
  const old = join(FOLDER, "python3.9");
  writeFileSync(old, '#!/bin/sh\nif [ "$1" = -P ]; then echo "Unknown option: -P"; exit 2; fi\necho "3.9 $0"\n');
  chmodSync(old, 0o755);
  assert.equal(await packaged(old, "0.0.1"), "too_old");
  assert.match(explain({ kind: "python_too_old", python: old }).message, /older than Python 3\.11/);
});

test("no remedy fetches a package of our name from an index that may not be ours", () => {
  const { message, buttons } = explain({ kind: "package_missing", python: "/p" });
  assert.doesNotMatch(message, /pip install/);
  assert.equal(buttons[0]?.command, "kernelopt.ui.installIntoPython");
  const commands = explain({ kind: "start_failed", detail: "", isPrivate: true }).buttons.map(({ command }) => command);
  assert.ok(commands.includes("kernelopt.ui.installServer"), "a broken environment can be made anew");
});

test("a failed install says pip's reason and leaves nothing behind", async () => {
  const broken = place("broken", "0.0.3", "no-such-package-of-kernelopt==9");
  process.env["PIP_NO_INDEX"] = "1";
  const failure = await install(broken, how());
  delete process.env["PIP_NO_INDEX"];
  assert.equal(failure?.kind, "install_failed");
  assert.match(failure?.kind === "install_failed" ? failure.detail : "", /^ERROR: .*no-such-package-of-kernelopt/);
  assert.deepEqual(readdirSync(broken.folder), []);
});

test("no Python that is new enough is a failure that names where it was looked for", async () => {
  const failure = await install(place("none", "0.0.4"), how(["/no/such/python"]));
  assert.deepEqual(failure, { kind: "no_python", looked: ["/no/such/python"] });
});

test("an extension that was cut off says so, before an environment is made, and to install it again", async () => {
  const cut = place("cut", "0.0.8");
  writeFileSync(cut.packed, brotliCompressSync(packed("0.0.8", "").subarray(0, -20)));
  mkdirSync(cut.folder);
  const made: (string | null)[] = [];
  const watcher = watch(cut.folder, (_, name) => made.push(name));
  const failure = await install(cut, how());
  await setImmediate(); // what was noticed is told first
  watcher.close();
  assert.deepEqual(made, []);
  assert.match(failure?.kind === "install_failed" ? failure.detail : "", /ends within .*: install the extension again/);
  assert.deepEqual(readdirSync(cut.folder), []);
});

test("a cancelled install leaves nothing behind", async () => {
  const cancelled = place("cancelled", "0.0.5");
  const ending = new AbortController();
  const work = install(cancelled, { ...how(), signal: ending.signal });
  ending.abort();
  assert.deepEqual(await work, { kind: "cancelled" });
  assert.deepEqual(readdirSync(cancelled.folder), []);
});

test("Python 3.11 is the oldest that will do", () => {
  assert.deepEqual(["2.7", "3.10", "3.11", "3.13", "4.0", ""].map(isNewEnough), [false, false, true, true, true, false]);
});
