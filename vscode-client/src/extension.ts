/** Registers what the extension adds to VS Code; nothing else happens here. */

import * as vscode from "vscode";

import { told } from "./boundary.ts";
import { registerCommands } from "./commands.ts";
import { intercepting } from "./intercept.ts";
import { registerHeat } from "./heat/heat.ts";
import { EditorModel } from "./model/ask.ts";
import { registerMcp } from "./model/mcp.ts";
import { Notes } from "./notes.ts";
import { registerMemoryPage } from "./panel/memory.ts";
import { registerPanel } from "./panel/panel.ts";
import { tellOffers } from "./review/offers.ts";
import { Review } from "./review/review.ts";
import type { Manifest } from "./server/configuration.ts";
import type { Execute } from "./server/connection.ts";
import { Consents } from "./server/consent.ts";
import { startWithCuda } from "./server/begin.ts";
import { tellCudaHeader } from "./server/header.ts";
import { Launcher } from "./server/launch.ts";
import { Watch } from "./server/picture.ts";
import { LanguageServer } from "./server/server.ts";
import { tellFailures } from "./server/tell.ts";
import { registerStatusBar } from "./status/bar.ts";
import { registerTesting } from "./testing/testing.ts";
import { registerView } from "./view/tree.ts";
import { tickWalkthrough } from "./walkthrough.ts";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("kernelopt", { log: true });
  const notes = new Notes();
  const model = new EditorModel(context, notes);
  const launcher = new Launcher(context);
  const execute: Execute = (command, values, next) => told(log, () => intercepting(server, review, notes)(command, values, opening(next)));
  const manifest: Manifest = context.extension.packageJSON; // VS Code types it as any
  const consents = new Consents();
  const server = new LanguageServer(launcher, { log, execute, manifest, consents, complete: (...asked) => model.complete(...asked) });
  const review = new Review(server, notes, log);
  const watch = new Watch(server, log);
  const telling = tellFailures(server, manifest.version, log);
  const opening = registerPanel(context, server, log);
  registerMemoryPage(context, server, log);
  registerHeat(context, server, log);
  registerTesting(context, server, log);
  context.subscriptions.push(
    log,
    notes,
    consents,
    server,
    review,
    watch,
    watch.onDidChange(({ proposals, isAnswered }) => isAnswered && review.keep(new Set(proposals.map(({ id }) => id)))),
    telling,
    tellOffers(server, watch, review, (run) => void told(log, run)),
    registerCommands({ context, log, launcher, server, watch, notes, review, model, telling, consents }),
    registerView(watch),
    tickWalkthrough(server, watch),
    registerStatusBar(server, watch),
    registerMcp(launcher, server),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.trustGranted()),
    tellCudaHeader(),
    startWithCuda(server, () => launcher.canStart()),
  );
}
