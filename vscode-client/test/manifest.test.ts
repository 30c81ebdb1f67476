import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MANIFEST = readFileSync(join(ROOT, "package.json"), "utf8");
const { contributes, activationEvents, icon } = JSON.parse(MANIFEST);

function sources(folder: string): string {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(ROOT, folder, name), "utf8"))
    .join("\n");
}

test("every command of ours that the manifest names is contributed, and named by no server", () => {
  const contributed = new Set(contributes.commands.map(({ command }: { command: string }) => command));
  for (const [name] of MANIFEST.matchAll(/kernelopt\.ui\.\w+/g)) assert.ok(contributed.has(name), name);
  for (const name of contributed) assert.match(String(name), /^kernelopt\.ui\.\w+$/);
});

test("every contributed command is registered", () => {
  const code = sources("src");
  for (const { command } of contributes.commands) {
    const name = String(command).split(".").at(-1) ?? "";
    assert.ok(new RegExp(`\\b${name}:|"${command}"`).test(code), command);
  }
});

test("pictures that the manifest names are there", () => {
  const pictures = [icon, ...[...MANIFEST.matchAll(/"(media\/[^"]+)"/g)].map((match) => match[1])];
  for (const picture of pictures) assert.ok(existsSync(join(ROOT, String(picture))), picture);
});

test("VS Code starts without the extension until something may hold CUDA", () => {
  const ofCuda = /^(?:onLanguage:(?:cuda-cpp|cuda|python)|onNotebook:jupyter-notebook|workspaceContains:\*\*\/(?:\*\.\{cu,cuh\}|kernelopt\.toml)|onWebviewPanel:kernelopt\.\w+)$/;
  for (const event of activationEvents) assert.match(event, ofCuda);
  assert.ok(activationEvents.includes("workspaceContains:**/kernelopt.toml"), "a project whose kernels are in files of other names");
});

test("no proposed API is asked for", () => {
  assert.ok(!MANIFEST.includes("enabledApiProposals"));
});
