/** VS Code's settings, as the server's `workspace/configuration` asks for them. */

import * as vscode from "vscode";

import { explicitValue, nested } from "./settings.ts";

const SECTION = "kernelopt";

export function explicitSettings(section: string | undefined, scope: string | undefined): Record<string, unknown> {
  if (section !== SECTION) return {};
  const configuration = vscode.workspace.getConfiguration(SECTION, scope === undefined ? undefined : vscode.Uri.parse(scope));
  const names = leafNames();
  return nested(new Map(names.map((name) => [name, explicitValue(configuration.inspect(name))])));
}

/** Dotted names of all settings that the extension declares. */
function leafNames(): readonly string[] {
  const declared = vscode.extensions.getExtension("kernelopt.kernelopt")?.packageJSON as Manifest | undefined;
  const groups = declared?.contributes.configuration ?? [];
  return groups.flatMap((group) => Object.keys(group.properties)).map((name) => name.slice(SECTION.length + 1));
}

interface Manifest {
  readonly contributes: { readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[] };
}
