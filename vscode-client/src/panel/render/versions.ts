/** Both versions of a kernel side by side: time, traffic, what warps wait for, the roofline. */

import type { PairPart, VersionsPart } from "../../protocol/report.ts";
import { roofline } from "./launch.ts";
import { html, type Markup } from "./markup.ts";

export function versions(part: VersionsPart, id: string): Markup {
  return html`<h5>Both versions</h5>
    <p class="small">${part.before === part.after ? `Both: ${part.before}.` : `Before: ${part.before}. After: ${part.after}.`}</p>
    ${part.times.length > 0 && pairs("time", part.times)}<p class="soft small">${part.time_method}</p>
    ${part.counts.length > 0 && html`${pairs("counts", part.counts)}<p class="soft small">${part.method}.</p>`}
    ${part.stalls.length > 0 ? html`${pairs("stalls", part.stalls)}<p class="soft small">Share of each version's samples.</p>` : html`<p class="soft small">${part.no_stalls}</p>`}
    ${part.roofline === null
      ? html`<p class="soft small">${part.no_roofline}</p>`
      : html`<details id="${id}-roofline"><summary>Roofline of both versions</summary><p class="small">○ before, ● after</p>${roofline(part.roofline)}</details>`}`;
}

/** Two bars to a figure, whose lengths repeat what the words next to them say. */
function pairs(caption: string, parts: readonly PairPart[]): Markup {
  return html`<div class="scroll"><table class="versions"><caption class="skip">${caption} of both versions</caption>
    <thead><tr><th scope="col">${caption}</th><th scope="col">version</th><th scope="col" class="number">value</th><th scope="col">bar</th></tr></thead>
    <tbody>${parts.map(
      (part) => html`<tr><th scope="row" rowspan="2">${part.name}</th>${version("before", part.before, part.before_ratio)}</tr>
        <tr>${version("after", part.after, part.after_ratio)}</tr>`,
    )}</tbody></table></div>`;
}

function version(name: string, value: string, ratio: number): Markup {
  const width = Math.min(100, Math.max(0, ratio * 100)).toFixed(2);
  return html`<td>${name}</td><td class="number">${value}</td>
    <td class="fill"><svg class="bar ${name}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="8" rx="1"/><rect width="${width}" height="8" rx="1"/></svg></td>`;
}
