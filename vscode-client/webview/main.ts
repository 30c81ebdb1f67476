/** The panel's side in the webview: puts the body where it belongs, keeps what was open, sends what a person asks for. */

import type { FromPanel, ToPanel } from "../src/panel/messages.ts";
import { drawPng, themeRules } from "./draw.ts";

interface Kept {
  readonly uri?: string;
  readonly open: readonly string[];
  readonly scrolled: number;
}

type Shown = Extract<ToPanel, { kind: "show" }>;

interface Host {
  postMessage(message: FromPanel): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
const main = element("main");

window.addEventListener("message", (event: MessageEvent<ToPanel>) => {
  if (event.data.kind === "show") show(event.data);
  else void draw(event.data.as);
});
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button !== null) pressed(button);
});
main.addEventListener("toggle", keep, true); // does not bubble
document.addEventListener("scrollend", keep);
host.postMessage({ kind: "ready" });

function show({ uri, title, body }: Shown): void {
  const focused = document.activeElement?.id ?? "";
  const isFirst = main.getAttribute("aria-busy") === "true";
  const { open, scrolled } = isFirst ? (host.getState() ?? kept()) : kept();
  main.innerHTML = body; // markup of src/panel/render, which escapes every value
  main.setAttribute("aria-busy", "false");
  document.title = title;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (focused !== "") document.getElementById(focused)?.focus();
  window.scrollTo({ top: scrolled, behavior: "instant" });
  host.setState({ ...kept(), uri });
}

function pressed(button: HTMLButtonElement): void {
  const { line, command } = button.dataset;
  if (line !== undefined) host.postMessage({ kind: "goTo", line: Number(line) });
  else if (command === "profile") host.postMessage({ kind: "profile" });
  else if (command === "code") toggleCode(button);
  else if (command === "html" || command === "png") void draw(command);
}

function toggleCode(button: HTMLButtonElement): void {
  const isShown = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(isShown));
  for (const details of main.querySelectorAll<HTMLDetailsElement>("details.machine")) details.open = isShown;
}

async function draw(as: "html" | "png"): Promise<void> {
  try {
    if (as === "html") {
      host.postMessage({ kind: "drawn", as, body: copied().innerHTML, theme: themeRules(), themeClass: document.body.className });
    } else {
      host.postMessage({ kind: "drawn", as, data: await drawPng(document.title, copied()) });
    }
  } catch (error) {
    host.postMessage({ kind: "failed", what: error instanceof Error ? error.message : String(error) });
  }
}

/** The body without what only works here. */
function copied(): HTMLElement {
  const copy = main.cloneNode(true) as HTMLElement; // a clone of an element is one
  for (const button of copy.querySelectorAll("button")) {
    const text = document.createElement("span");
    text.textContent = button.textContent;
    button.replaceWith(text);
  }
  return copy;
}

function kept(): Kept {
  return { open: [...main.querySelectorAll("details[open]")].map((details) => details.id), scrolled: window.scrollY };
}

function keep(): void {
  host.setState({ ...host.getState(), ...kept() });
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
