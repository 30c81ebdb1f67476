/** VS Code's settings, as the server's `workspace/configuration` asks for them. */

import * as vscode from "vscode";

import { type Declared, explicitValues, nested } from "./settings.ts";

const SECTION = "kernelopt";

/** What somebody set in a section; the server is given no defaults, as `kernelopt.toml` stands above those. */
export function explicitSettings(manifest: Manifest, section: string | undefined, scope: string | undefined): Record<string, unknown> {
  if (section !== SECTION) return {};
  const configuration = vscode.workspace.getConfiguration(SECTION, scope === undefined ? undefined : vscode.Uri.parse(scope));
  const declared: Record<string, Declared> = Object.assign({}, ...manifest.contributes.configuration.map(({ properties }) => properties));
  return nested(explicitValues(declared, SECTION, (name) => configuration.inspect(name)));
}

/** The part of the extension's manifest that is read. */
export interface Manifest {
  readonly version: string;
  readonly contributes: { readonly configuration: readonly { readonly properties: Readonly<Record<string, Declared>> }[] };
}
