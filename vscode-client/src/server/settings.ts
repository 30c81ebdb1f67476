/** Settings as the server wants them: only what somebody set, as a default of the editor must not win over `kernelopt.toml`. */

/** What VS Code's `inspect` says of one setting, strongest last. */
export interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

export function explicitValue(inspected: Inspected | undefined): unknown {
  return inspected?.workspaceFolderValue ?? inspected?.workspaceValue ?? inspected?.globalValue;
}

/** `{"a.b": 1}` → `{a: {b: 1}}`; what is undefined is left out. */
export function nested(values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of values) {
    if (value === undefined) continue;
    const parts = name.split(".");
    const last = parts.pop() ?? name;
    let place = root;
    for (const part of parts) place = (place[part] ??= {}) as Record<string, unknown>; // only made here, by the line itself
    place[last] = value;
  }
  return root;
}
