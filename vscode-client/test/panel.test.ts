import assert from "node:assert/strict";
import { test } from "node:test";

import type { ComparisonPart, KernelPart, LaunchPart, Report, Row } from "../src/protocol/report.ts";
import { escaped, html } from "../src/panel/render/markup.ts";
import { PROFILE_TOOLBAR, standaloneDocument, webviewDocument } from "../src/panel/render/page.ts";
import { body } from "../src/panel/render/report.ts";

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`;

const ROW: Row = { number: 11, now: 12, text: HOSTILE, heat_step: 4, heat: ["98 % sectors"], counters: ["global store: 10 requests"], codes: ["KO101"], instructions: ["STG.E [R2], R4"] };
const LAUNCH: LaunchPart = {
  title: "grid 4 × 1 × 1, block 32 × 1 × 1, 1 launch",
  method: "emulator",
  heat: "the line's share of the excess",
  facts: [{ name: "Predicted time of one launch", value: "4.16 µs", note: "nothing was timed" }],
  findings: [{ code: "KO101", title: "Uncoalesced", severity: "warning", line: 12, message: HOSTILE, cost: null, evidence: [["E1", "sectors", "800", "11", "emulator", "exact"]] }],
  rows: [ROW, { ...ROW, number: null }, { ...ROW, number: 20, now: null, heat_step: 0, heat: [] }],
  terms: [{ name: "L2 bandwidth", value: "2 µs", share: "54 %", ratio: 0.54 }],
  mix: [],
  roofline: null,
  no_roofline: "its work is moving data",
  stalls: [],
  no_stalls: "Stalls are sampled on a GPU.",
  estimates: [],
};
const COMPARISON: ComparisonPart = {
  title: "padding",
  proposal: "P01",
  state: "open",
  verdict: "PASS",
  caveats: ["host code not compared"],
  reasons: [],
  speed: "FASTER 1.83x",
  ratio: 1.83,
  low: 1.8,
  high: 1.86,
  interval: "95 % interval [1.80, 1.86], good",
  method: "events",
  limits: "",
  cases: [],
  predictions: [{ metric: "sectors", before: "150,000", predicted: "18,750", actual: "21,250", is_hit: true }],
  verified: "10 cases passed of 10",
  tests: [],
  versions: {
    before: "n=8: grid 4 × 1 × 1, block 32 × 1 × 1, limited by L2 bandwidth",
    after: "n=8: grid 4 × 1 × 1, block 32 × 1 × 1, limited by DRAM bandwidth",
    method: "emulator",
    times: [{ name: "one launch, predicted", before: "2 µs", after: "1 µs", before_ratio: 1, after_ratio: 0.5 }],
    time_method: "Predicted by the performance model for h200; nothing was timed.",
    counts: [{ name: "sectors", before: HOSTILE, after: "400 (400 ideal)", before_ratio: 1, after_ratio: 0.5 }],
    stalls: [],
    no_stalls: "Stalls of warps were not sampled.",
    roofline: null,
    no_roofline: "no roofline of both",
  },
};
const KERNEL: KernelPart = { key: "k()", name: "k", line: 5, headline: "PREDICTED 4.16 µs", is_stale: false, launches: [LAUNCH], not_shown: "", comparisons: [COMPARISON] };
const REPORT: Report = { uri: "file:///a.cu", source: "file:///a.cu", name: "a.cu", device: "CPU emulator", rung: "no GPU", program: "", kernels: [KERNEL], nothing: "" };

function shown(changes: Partial<LaunchPart> = {}, kernel: Partial<KernelPart> = {}): string {
  return body([{ ...REPORT, kernels: [{ ...KERNEL, launches: [{ ...LAUNCH, ...changes }], ...kernel }] }]).text;
}

test("nothing from a source becomes markup", () => {
  const page = shown();
  assert.ok(!page.includes("<img") && !page.includes("<script"));
  assert.ok(page.includes(escaped(HOSTILE)));
});

test("where the program's time goes stands above its kernels, once for all texts of a document", () => {
  const told = { ...REPORT, program: "predicted: 62 % of GPU time is in 2 kernels" };
  const page = body([told, told]).text;
  assert.equal(page.split("62 % of GPU time").length, 2);
  assert.ok(page.indexOf("62 % of GPU time") < page.indexOf("<section"));
  assert.ok(!shown().includes("verdict program"));
});

test("markup of ours is kept, lists are joined, what is not there is not written", () => {
  assert.equal(html`<b>${html`<i>${"a&b"}</i>`}${[1, "<"]}${null}${false}${undefined}</b>`.text, "<b><i>a&amp;b</i>1&lt;</b>");
});

test("a number stands next to every shade", () => {
  const shaded = [...shown().matchAll(/<tr class="heat[1-4]">.*?<\/tr>/gs)].map(([row]) => row);
  assert.equal(shaded.length, 1);
  assert.match(shaded[0] ?? "", /98 % sectors/);
});

test("a line that was changed since leads nowhere", () => {
  const [changed] = shown().split("<tr").filter((row) => row.includes(">20<"));
  assert.ok(changed !== undefined && !changed.includes("data-line"));
});

test("a part that is missing says why", () => {
  const page = shown();
  for (const why of ["Stalls are sampled on a GPU.", "its work is moving data", "No machine code, so no instruction counts."]) assert.ok(page.includes(why), why);
  assert.ok(shown({ findings: [] }).includes("No finding"));
  assert.ok(shown({}, { comparisons: [] }).includes("No edit of this kernel was judged yet"));
});

test("both versions stand next to each other, and a time that was not measured is called predicted", () => {
  const page = shown();
  for (const words of ["one launch, predicted", "2 µs", "1 µs", "nothing was timed", "no roofline of both"]) assert.ok(page.includes(words), words);
  assert.ok(!shown({}, { comparisons: [{ ...COMPARISON, versions: null }] }).includes("Both versions"));
});

test("with nothing to show there is one sentence", () => {
  const page = body([{ ...REPORT, kernels: [], nothing: "Not profiled yet: run Profile on this file." }]).text;
  assert.equal(page, '<p class="empty" role="status">Not profiled yet: run Profile on this file.</p>');
  assert.match(body([]).text, /not open/);
});

test("the interval is told in words next to the drawing", () => {
  assert.match(shown(), /aria-label="time before \/ time after: 1.83, from 1.80 to 1.86"/);
  assert.ok(shown().includes("95 % interval [1.80, 1.86], good"));
  assert.ok(shown().includes("(host code not compared)"));
});

test("every drawing, region and table has a name, every button a word", () => {
  const page = shown();
  for (const [tag] of page.matchAll(/<svg [^>]*>/g)) assert.match(tag, /aria-(?:label|hidden)=/);
  for (const [tag] of page.matchAll(/<[a-z]+ [^>]*role="region"[^>]*>/g)) assert.match(tag, /aria-label=.*tabindex="0"/);
  for (const [, words] of page.matchAll(/<button[^>]*>(.*?)<\/button>/gs)) assert.notEqual(words?.trim(), "");
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  assert.equal(new Set(ids).size, ids.length, "no id twice");
});

test("the webview loads its own style and script, and nothing else", () => {
  const page = webviewDocument({ title: HOSTILE, toolbar: PROFILE_TOOLBAR, nonce: "n0", styleUri: "vscode:/panel.css", scriptUri: "vscode:/panel.js" });
  assert.match(page, /default-src &#39;none&#39;; style-src &#39;nonce-n0&#39;; script-src &#39;nonce-n0&#39;; img-src data:/);
  assert.ok(!/ on[a-z]+=|style="|https?:/.test(page.replaceAll(escaped(HOSTILE), "")));
});

test("an exported page runs no script and loads nothing", () => {
  const page = standaloneDocument({ title: "Profile", body: shown(), style: "body{color:red}", theme: "--vscode-foreground:#fff", themeClass: "vscode-dark", sha256: () => "HASH=" });
  assert.match(page, /default-src &#39;none&#39;; style-src &#39;sha256-HASH=&#39;/);
  assert.ok(!page.includes("<script") && !/https?:/.test(page));
  assert.ok(page.includes(":root{--vscode-foreground:#fff}"));
});
