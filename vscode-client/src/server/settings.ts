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

/** What the user alone has said: a folder that was downloaded must not choose where code is sent. */
export function userValue(inspected: Inspected | undefined): unknown {
  return inspected?.globalValue;
}

/** A setting as the manifest declares it. */
export interface Declared {
  readonly scope?: string;
}

/** The values that somebody set, by dotted name without the section. */
export function explicitValues(
  declared: Readonly<Record<string, Declared>>,
  section: string,
  inspect: (name: string) => Inspected | undefined,
): ReadonlyMap<string, unknown> {
  const names = Object.entries(declared).map(([name, { scope }]) => [name.slice(section.length + 1), scope] as const);
  return new Map(names.map(([name, scope]) => [name, (scope === "machine" ? userValue : explicitValue)(inspect(name))]));
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
