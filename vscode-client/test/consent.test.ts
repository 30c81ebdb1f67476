import assert from "node:assert/strict";
import { test } from "node:test";

import { type ConsentAsked, consentQuestion, waitingText } from "../src/server/consent_words.ts";

const ASKED: ConsentAsked = {
  id: "sha256:1",
  program: "stencil.cu",
  command: "Compiles stencil.cu with g++ for the CPU emulator, with the flags -O3.\nRuns it with the arguments 512.",
  folder: "/home/ada/work",
  purpose: "judging",
  is_asked_for: true,
};

test("the question shows the whole command, and where it runs", () => {
  const { title, detail, answers } = consentQuestion(ASKED);
  assert.equal(title, "Run stencil.cu to verify and profile its kernels?");
  assert.match(detail, /^Compiles stencil\.cu with g\+\+ for the CPU emulator, with the flags -O3\.\nRuns it with the arguments 512\.\n\nRuns as you, in \/home\/ada\/work\./);
  assert.deepEqual([...answers.keys()], ["Once", "Always for This Program", "Never", "Not Now"]);
});

test("the question says how long an answer holds, and that it is about this program alone", () => {
  const { detail } = consentQuestion(ASKED);
  assert.match(detail, /for this program alone, edited and saved text included/);
  assert.match(detail, /Once holds until the window is closed or the server restarts; Always and Never are remembered\./);
});

test("a build is asked about as a build", () => {
  assert.match(consentQuestion({ ...ASKED, purpose: "recording" }).title, /in a private copy of the folder/);
  assert.match(consentQuestion({ ...ASKED, purpose: "configuring" }).title, /to see what the project builds/);
});

test("what waits stands in the status bar with how many more", () => {
  assert.equal(waitingText([ASKED]).text, "$(warning) run stencil.cu?");
  const two = waitingText([ASKED, { ...ASKED, id: "2", command: "./other" }]);
  assert.equal(two.text, "$(warning) run stencil.cu? +1");
  assert.match(two.tooltip, /Runs it with the arguments 512\.\n\.\/other\n/);
});
