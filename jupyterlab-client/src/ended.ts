// What can be pressed below a cell ends with the kernel that made it. That one cannot say so any more, so the page does.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { element } from "./history/elements.ts";

const ENDED = "kernelopt-ended"; // style/index.css takes the buttons away
const LIVE = `:is(.kernelopt-progress, .kernelopt-controls):not(.${ENDED})`; // jupyter_ext shows either only while something runs or is open

export const endedPanels: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:ended",
  description: "Panels whose kernel ended say so.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, notebooks: INotebookTracker) => {
    notebooks.forEach(watch);
    notebooks.widgetAdded.connect((_, panel) => watch(panel));
  },
};

function watch(panel: NotebookPanel): void {
  panel.sessionContext.statusChanged.connect((_, status) => {
    if (status === "restarting" || status === "dead") end(panel); // the first also where the server restarts one that died
  });
  panel.sessionContext.kernelChanged.connect((_, { oldValue, newValue }) => {
    if (oldValue !== null && oldValue.id !== newValue?.id) end(panel); // a restarted kernel keeps its id, and may be at work again
  });
}

// Through the cells, as those out of sight are not in the document.
function end(panel: NotebookPanel): void {
  for (const cell of panel.content.widgets) {
    for (const part of cell.node.querySelectorAll(LIVE)) {
      part.classList.add(ENDED);
      part.append(element("div", { textContent: "Its kernel ended: run the cell again", role: "status" }));
    }
  }
}
