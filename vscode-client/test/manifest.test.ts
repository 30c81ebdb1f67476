import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MANIFEST = readFileSync(join(ROOT, "package.json"), "utf8");
const { contributes, activationEvents, icon, ...about } = JSON.parse(MANIFEST);

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

test("the walkthrough begins with the installation and ends with an accepted edit", () => {
  const [{ steps }] = contributes.walkthroughs;
  assert.equal(steps.at(0).id, "install");
  assert.deepEqual(steps.at(-1).completionEvents, ["onContext:kernelopt.tick.accepted"]);
  for (const { description } of steps) assert.ok(description.split("\n")[0].length <= 200, description);
});

test("a setting whose values are known offers them as a list", () => {
  const settings = contributes.configuration.flatMap(({ properties }: { properties: object }) => Object.entries(properties));
  const written = /^(?:`[^`]+`(?:, | or |\.$| \())+/;
  for (const [name, { type, enum: values, markdownDescription }] of settings) {
    if (type === "string" && values === undefined) assert.ok(!written.test(markdownDescription), `${name}: ${markdownDescription}`);
  }
});

// What Open VSX refuses (eclipse/openvsx: ExtensionValidator.java; a license is demanded by its terms).
const NAME = /^[\w\-+$~]+$/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}]/u;

test("Open VSX takes the name, the publisher and the version", () => {
  for (const name of [about.name, about.publisher]) assert.ok(NAME.test(name) && name.length <= 255, name);
  assert.match(about.version, /^\d+\.\d+\.\d+$/);
});

test("Open VSX takes every text: no longer than its limits, nothing that is not to be seen", () => {
  const limits: readonly [readonly string[], number][] = [
    [[about.displayName, about.license, ...about.categories, ...about.keywords], 255],
    [[about.description], 2048],
    [[about.galleryBanner.color], 16],
  ];
  for (const [texts, limit] of limits) {
    for (const text of texts) assert.ok(text.length > 0 && text.length <= limit && !UNSEEN.test(text), text);
  }
});

test("Open VSX takes the banner's theme, the markdown and the questions", () => {
  assert.ok(["dark", "light"].includes(about.galleryBanner.theme));
  assert.ok(about.markdown === undefined || ["github", "standard"].includes(about.markdown));
  assert.equal(about.qna, false);
});

test("Open VSX gets a license, in the manifest and as a file", () => {
  assert.equal(about.license, "Apache-2.0");
  assert.match(readFileSync(join(ROOT, "LICENSE"), "utf8"), /Apache License/);
});

test("addresses that the manifest names are whole ones, as Open VSX wants them", () => {
  const named = [about.homepage, about.repository?.url, about.bugs?.url].filter((url) => url !== undefined);
  for (const url of named) assert.notEqual(new URL(String(url).replace(/^git\+/, "")).host, "");
});

test("the icon is a picture of pixels, as the galleries want it", () => {
  assert.deepEqual([...readFileSync(join(ROOT, icon)).subarray(1, 4)], [...Buffer.from("PNG")]);
});
