/** Says that a proposal waits where no editor on screen does, with what can be done about it at once. */

import * as vscode from "vscode";

import { plain } from "../plain.ts";
import type { Proposal } from "../protocol/answers.ts";
import type { Watch } from "../server/picture.ts";
import type { Server } from "../server/server.ts";
import type { Review } from "./review.ts";

const REVIEW = "Review";

/** `tell` runs what a person chose, and tells its failure. */
export function tellOffers(server: Server, watch: Watch, review: Review, tell: (run: () => Promise<void>) => void): vscode.Disposable {
  const fresh = new Set<string>();
  return vscode.Disposable.from(
    server.onEvent((event) => {
      if (event.event === "proposal" && event.id !== undefined) fresh.add(event.id);
    }),
    watch.onDidChange(({ proposals }) => {
      for (const proposal of proposals) if (fresh.delete(proposal.id) && !isSeen(proposal)) tell(() => offer(proposal, review));
    }),
  );
}

/** Whether the lens over its kernel is in an editor on screen: nothing else has to say it, and nothing has to go after the decision. */
function isSeen({ uri }: Proposal): boolean {
  return vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === uri || document.uri.toString().startsWith(`${uri}#`));
}

async function offer(proposal: Proposal, review: Review): Promise<void> {
  const told = `A proposal for ${proposal.kernel.replace(/\(.*$/s, "")}: ${proposal.title}.`;
  switch (await vscode.window.showInformationMessage(plain(told), REVIEW, proposal.accept_title)) {
    case REVIEW:
      return await review.preview(proposal.id);
    case proposal.accept_title:
      return await review.accept(proposal.id);
    default:
      return;
  }
}
