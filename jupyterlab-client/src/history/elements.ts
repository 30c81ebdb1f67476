// Small pieces of a page. Text is always text: nothing here reads HTML.

export function element<K extends keyof HTMLElementTagNameMap>(name: K, given: Partial<HTMLElementTagNameMap[K]> = {}): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), given);
}

export function button(textContent: string, onclick: () => void, look = "jp-mod-styled"): HTMLButtonElement {
  return element("button", { textContent, onclick, className: `kernelopt-button ${look}`, type: "button" });
}

export function cellsRow(contents: readonly (string | Node)[]): HTMLTableRowElement {
  const row = element("tr");
  for (const content of contents) {
    const cell = element("td");
    cell.append(content);
    row.append(cell);
  }
  return row;
}

// undefined without rows.
export function table(names: readonly string[], rows: readonly HTMLTableRowElement[]): HTMLElement | undefined {
  if (rows.length === 0) return undefined;
  const head = element("tr");
  head.append(...names.map((textContent) => element("th", { textContent, scope: "col" })));
  const top = element("thead");
  top.append(head);
  const body = element("tbody");
  body.append(...rows);
  const made = element("table");
  made.append(top, body);
  return made;
}

export function section(title: string, content: HTMLElement | undefined, nothing: string): HTMLElement {
  const made = element("section");
  made.append(element("h2", { textContent: title }), content ?? element("p", { textContent: nothing }));
  return made;
}
