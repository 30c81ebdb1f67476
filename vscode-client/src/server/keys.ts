/** Keys of model endpoints: kept by VS Code's SecretStorage, given to the server in its environment, written nowhere else. */

import * as vscode from "vscode";

export const KEY_SETTINGS = ["key_env", "planner_key_env", "coder_key_env", "summariser_key_env"];
const DEFAULT_VARIABLE = "OPENAI_API_KEY";
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names of the variables that the user's settings speak of; those of a workspace do not count. */
export function keyVariables(): readonly string[] {
  const provider = vscode.workspace.getConfiguration("kernelopt.provider");
  const named = KEY_SETTINGS.map((setting) => provider.inspect<string | null>(setting)?.globalValue).filter((name) => typeof name === "string");
  return [...new Set([...named, ...(named.length === 0 ? [DEFAULT_VARIABLE] : [])])].filter((name) => VARIABLE.test(name));
}

export async function readKeys(secrets: vscode.SecretStorage, variables: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(variables.map(async (name) => [name, await secrets.get(name)] as const));
  return new Map(found.flatMap(([name, key]) => (key === undefined ? [] : [[name, key]])));
}

/** Asks for a key and keeps it; false where the question is dismissed. */
export async function askKey(secrets: vscode.SecretStorage): Promise<boolean> {
  const variable = await chooseVariable("Key of which endpoint?");
  if (variable === undefined) return false;
  const key = await vscode.window.showInputBox({
    title: `Key of the model endpoint (${variable})`,
    prompt: "Kept in VS Code's secret storage, given to the language server only. Models are only asked by jobs that you start.",
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === "") return false;
  await secrets.store(variable, key.trim());
  return true;
}

export async function forgetKey(secrets: vscode.SecretStorage): Promise<boolean> {
  const variable = await chooseVariable("Forget the key of which endpoint?");
  if (variable === undefined) return false;
  await secrets.delete(variable);
  return true;
}

async function chooseVariable(title: string): Promise<string | undefined> {
  const variables = keyVariables();
  return variables.length > 1 ? await vscode.window.showQuickPick([...variables], { title }) : variables[0];
}
