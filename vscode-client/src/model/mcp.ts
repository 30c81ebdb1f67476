/** The harness for coding agents: `kernelopt mcp` of the same server, as a server definition of VS Code. */

import * as vscode from "vscode";

import { type Launcher, isFailure } from "../server/launch.ts";
import type { Server } from "../server/server.ts";

const PROVIDER = "kernelopt.mcp";

/** Offered in trusted workspaces, where there is a server to run; what an agent asks is judged by the lab, and decided by a person. */
export function registerMcp(launcher: Launcher, server: Server): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    server.onDidChangeState(({ kind }) => kind === "running" && changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.lm.registerMcpServerDefinitionProvider(PROVIDER, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: async () => {
        const command = vscode.workspace.isTrusted ? await launcher.tool("mcp") : undefined;
        if (command === undefined || isFailure(command)) return [];
        const folders = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === "file") ?? [];
        const definition = new vscode.McpStdioServerDefinition(
          "kernelopt",
          command.program,
          [...command.args, ...folders.flatMap(({ uri }) => ["--trusted", uri.fsPath])],
          difference(command.environment),
          launcher.place.version,
        );
        if (folders[0] !== undefined) definition.cwd = folders[0].uri;
        return [definition];
      },
    }),
  );
}

/** What must be set or taken out of the extension host's own environment. */
function difference(wanted: NodeJS.ProcessEnv): Record<string, string | null> {
  const own = Object.entries(wanted).flatMap(([name, value]) => (value === undefined || value === process.env[name] ? [] : [[name, value] as const]));
  const gone = Object.keys(process.env).filter((name) => wanted[name] === undefined);
  return { ...Object.fromEntries(own), ...Object.fromEntries(gone.map((name) => [name, null])) };
}
