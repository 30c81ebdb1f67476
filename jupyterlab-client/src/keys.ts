// The plain keys of a panel's pick lists are their own: JupyterLab would take an arrow or a letter there for a command on the cell.
import type { JupyterFrontEndPlugin } from "@jupyterlab/application";

const PANEL = ".kernelopt-controls";
const SUPPRESS = "data-lm-suppress-shortcuts"; // Lumino's commands look for it on what has the focus; core ipywidgets cannot set it

export const panelKeys: JupyterFrontEndPlugin<void> = {
  id: "kernelopt:keys",
  description: "Pick lists below a cell are used by keyboard.",
  autoStart: true,
  activate: () => {
    window.addEventListener("keydown", keep, true); // before JupyterLab, which listens on the document
  },
};

function keep({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  if (target instanceof HTMLSelectElement && target.closest(PANEL) !== null) target.toggleAttribute(SUPPRESS, !(ctrlKey || metaKey || altKey));
}
