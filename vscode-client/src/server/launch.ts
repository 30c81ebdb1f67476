/** Which program is the server, and the environment that it runs in. */

import { homedir } from "node:os";

import * as vscode from "vscode";

import type { Manifest } from "./configuration.ts";
import { environment } from "./environment.ts";
import { type Place, isInstalled, markUsed, privatePython } from "./install.ts";
import { keyVariables, readKeys } from "./keys.ts";
import { expanded } from "./paths.ts";
import { packaged } from "./python.ts";
import type { Failure } from "./state.ts";

/** Nothing of the folder that it is started in is imported: that is a workspace, and maybe not a trusted one. */
const PLAIN = ["-P"];

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Knows where the server of this extension is. */
export class Launcher {
  readonly place: Place;
  readonly #context: vscode.ExtensionContext;

  constructor(context: vscode.ExtensionContext) {
    const version = (context.extension.packageJSON as Manifest).version; // VS Code types it as any
    const inside = (...names: string[]) => vscode.Uri.joinPath(context.extensionUri, ...names).fsPath;
    this.place = {
      folder: vscode.Uri.joinPath(context.globalStorageUri, "server").fsPath,
      version,
      packed: inside("server", `kernelopt-${version}.texts.br`),
      makeWheel: inside("python", "make_wheel.py"),
    };
    this.#context = context;
  }

  /** Whether there is something to start; a person has named it, or agreed to install it. */
  async canStart(): Promise<boolean> {
    return configuredPython() !== "" || (await isInstalled(this.place));
  }

  /** The language server, with the keys of model endpoints; a failure where there is nothing to run. */
  async server(): Promise<Command | Failure> {
    return await this.#command("lsp", await readKeys(this.#context.secrets, keyVariables()));
  }

  /** Another of kernelopt's own commands, which knows no keys. */
  async tool(name: "doctor" | "mcp"): Promise<Command | Failure> {
    return await this.#command(name, new Map());
  }

  /** Why a server did not come up. */
  async diagnose(detail: string): Promise<Failure> {
    const python = configuredPython();
    if (python === "") return { kind: "start_failed", detail, isPrivate: true };
    switch (await packaged(python, this.place.version)) {
      case "no_program":
        return { kind: "python_missing", python };
      case "too_old":
        return { kind: "python_too_old", python };
      case "no_package":
        return { kind: "package_missing", python };
      case "usable":
        return { kind: "start_failed", detail, isPrivate: false };
    }
  }

  async #command(name: string, keys: ReadonlyMap<string, string>): Promise<Command | Failure> {
    const python = configuredPython();
    if (!(await this.canStart())) return { kind: "not_installed" };
    const program = python === "" ? privatePython(this.place) : python;
    if (python === "") await markUsed(this.place);
    return { program, args: [...PLAIN, "-m", "assistant", name], environment: environment(process.env, keys, programPython()) };
  }
}

export function isFailure(found: Command | Failure): found is Failure {
  return "kind" in found;
}

/** `kernelopt.server.python`; empty: the private environment. */
export function configuredPython(): string {
  return pathSetting("server.python");
}

/** The Python that the user's own programs find first; undefined: the one on PATH. */
function programPython(): string | undefined {
  const configured = pathSetting("program.python");
  return configured === "" ? activeInterpreter() : configured;
}

function pathSetting(name: string): string {
  const written = vscode.workspace.getConfiguration("kernelopt").get<string>(name, "");
  return expanded(written, homedir(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
}

/** What the Python extension was told to use; it is not started for it. */
export function activeInterpreter(): string | undefined {
  const python = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (python?.isActive !== true) return undefined;
  return python.exports.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri).path;
}

/** The part of ms-python's public API that is used. */
interface PythonApi {
  readonly environments?: { getActiveEnvironmentPath(resource: vscode.Uri | undefined): { readonly path: string } };
}
