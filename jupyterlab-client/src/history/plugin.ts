// The command that opens the history page, in the palette and the launcher.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, MainAreaWidget } from "@jupyterlab/apputils";
import { Api } from "./api.ts";
import { HistoryPage } from "./page.ts";

const COMMAND = "kernelopt:open-history";

export const historyPage: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:history",
  description: "What was proposed, tried and decided.",
  autoStart: true,
  optional: [ICommandPalette],
  activate: (app: JupyterFrontEnd, palette: ICommandPalette | null) => {
    let shown: MainAreaWidget<HistoryPage> | undefined;
    app.commands.addCommand(COMMAND, {
      label: "Kernelopt History",
      caption: "Proposals, decisions, attempts and jobs of this folder",
      execute: () => {
        if (shown === undefined || shown.isDisposed) shown = open();
        if (!shown.isAttached) app.shell.add(shown, "main");
        app.shell.activateById(shown.id);
      },
    });
    palette?.addItem({ command: COMMAND, category: "Kernelopt" });
  },
};

function open(): MainAreaWidget<HistoryPage> {
  const widget = new MainAreaWidget({ content: new HistoryPage(new Api()) });
  widget.id = "kernelopt-history-tab";
  widget.title.label = "Kernelopt History";
  widget.title.closable = true;
  return widget;
}
