/** Each failure in words, with buttons that fix it. Values only. */

import type { Failure } from "./state.ts";

export interface Button {
  readonly title: string;
  /** A command of VS Code or of ours. */
  readonly command: string;
  readonly argument?: unknown;
}

export interface Explanation {
  readonly message: string;
  readonly buttons: readonly Button[];
  /** A question is asked, not a failure told. */
  readonly isQuestion: boolean;
}

const INSTALL: Button = { title: "Install", command: "kernelopt.ui.installServer" };
const REINSTALL: Button = { title: "Reinstall", command: "kernelopt.ui.installServer" };
const PUT_IN: Button = { title: "Install It There", command: "kernelopt.ui.installIntoPython" };
const AGAIN: Button = { title: "Try Again", command: "kernelopt.ui.restart" };
const REPEAT: Button = { title: "Try Again", command: "kernelopt.ui.installServer" };
const LOG: Button = { title: "Show Log", command: "kernelopt.ui.showLog" };
const CHOOSE: Button = {
  title: "Choose Python…",
  command: "workbench.action.openSettings",
  argument: "kernelopt.server.python",
};
const PYTHON_PAGE: Button = { title: "Get Python", command: "vscode.open", argument: "https://www.python.org/downloads/" };

export function explain(failure: Failure): Explanation {
  switch (failure.kind) {
    case "not_installed":
      return {
        message:
          "kernelopt needs its language server. It is installed into an environment of its own, from your package index (about 35 MB, 220 MB on disk); your Python environments stay as they are.",
        buttons: [INSTALL, CHOOSE],
        isQuestion: true,
      };
    case "no_python":
      return told(`kernelopt needs Python 3.11 or newer; looked for ${failure.looked.join(", ")}.`, [CHOOSE, PYTHON_PAGE, REPEAT]);
    case "no_venv":
      return told(
        `${failure.python} cannot make a virtual environment (on Debian and Ubuntu: apt install python3-venv). ${failure.detail}`,
        [REPEAT, CHOOSE, LOG],
      );
    case "install_failed":
      return told(`The language server could not be installed: ${failure.detail}`, [REPEAT, LOG, CHOOSE]);
    case "cancelled":
      return { message: "kernelopt: the installation was cancelled.", buttons: [AGAIN, CHOOSE], isQuestion: true };
    case "python_too_old":
      return told(`kernelopt.server.python names ${failure.python}, which is older than Python 3.11.`, [CHOOSE, PYTHON_PAGE, AGAIN]);
    case "python_missing":
      return told(`kernelopt.server.python names ${failure.python}, which cannot be started.`, [CHOOSE, AGAIN]);
    case "package_missing":
      return told(
        `${failure.python} has no kernelopt of this version that works. The one inside this extension can be installed there; or leave kernelopt.server.python empty.`,
        [PUT_IN, CHOOSE, AGAIN, LOG],
      );
    case "start_failed":
      return told(`The language server did not start: ${failure.detail}`, [AGAIN, ...(failure.isPrivate ? [REINSTALL] : []), LOG, CHOOSE]);
    case "other_version":
      return told(
        `kernelopt.server.python runs kernelopt ${failure.version}; this extension belongs to ${failure.wanted}, and some of it may not work.`,
        [CHOOSE],
      );
    case "crashed":
      return told(`The language server ended ${failure.count} times within three minutes and is left alone.`, [AGAIN, LOG]);
    default:
      return failure satisfies never;
  }
}

function told(message: string, buttons: readonly Button[]): Explanation {
  return { message, buttons, isQuestion: false };
}
