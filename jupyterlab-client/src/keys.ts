// The keys of a panel's pick lists and buttons are their own: JupyterLab would take an arrow or a letter there for a command on the cell.
import type { JupyterFrontEndPlugin } from "@jupyterlab/application";

const PANELS = ".kernelopt-progress, .kernelopt-controls";
const SUPPRESS = "data-lm-suppress-shortcuts"; // of Lumino's commands, on what has the focus; core ipywidgets cannot set it

export const panelKeys: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:keys",
  description: "Pick lists below a cell are used by keyboard.",
  autoStart: true,
  activate: () => {
    document.addEventListener("focusin", (event) => {
      const { target } = event;
      if (target instanceof Element && target.closest(PANELS) !== null) target.setAttribute(SUPPRESS, "true");
    });
  },
};
