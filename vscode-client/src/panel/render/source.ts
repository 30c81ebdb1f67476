/** Source lines with their heat, what was counted there, and the machine code that they became. */

import type { Row } from "../../protocol/report.ts";
import { html, type Markup } from "./markup.ts";

export function source(rows: readonly Row[], id: string): Markup {
  if (rows.length === 0) return html`<p class="empty">The profiled lines are not in this file.</p>`;
  return html`
    ${legend()}
    <div class="source scroll" role="region" aria-label="Source with heat" tabindex="0">
      <table>
        <thead><tr><th scope="col">line</th><th scope="col">heat</th><th scope="col">source and what was counted</th><th scope="col">SASS</th></tr></thead>
        <tbody>${rows.map((row) => (row.number === null ? html`<tr><td colspan="4" class="soft">⋯</td></tr>` : line(row, row.number, id)))}</tbody>
      </table>
    </div>`;
}

function line(row: Row, number: number, id: string): Markup {
  return html`<tr class="heat${row.heat_step}">
    <th scope="row">${row.now === null ? html`<span title="The line was changed since">${number}</span>` : html`<button type="button" class="line" data-line="${row.now}" aria-label="Go to line ${row.now + 1}">${row.now + 1}</button>`}</th>
    <td class="heat">${row.heat.map((share) => html`<span>${share}</span>`)}</td>
    <td class="code">${row.text}${row.codes.map((code) => html` <span class="mark">${code}</span>`)}${row.counters.map((counted) => html`<small>${counted}</small>`)}</td>
    <td class="sass">${row.instructions.length > 0 && sass(row, number, id)}</td>
  </tr>`;
}

function sass(row: Row, number: number, id: string): Markup {
  const count = row.instructions.length;
  return html`<details id="${id}-s${number}" class="machine"><summary aria-label="Machine code of line ${number}, ${count} instructions">${count}</summary><pre>${row.instructions.join("\n")}</pre></details>`;
}

/** Shade and number of strokes say the same. */
function legend(): Markup {
  return html`<p class="legend small"><span>Share:</span>
    ${["up to 25 %", "up to 50 %", "up to 75 %", "above"].map((range, index) => html`<span class="swatch heat${index + 1}">${range}</span>`)}</p>`;
}
