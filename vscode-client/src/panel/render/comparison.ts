/** Before and after: the verdict, the ratio with its interval, each shape, each prediction next to what came of it. */

import type { CasePart, ComparisonPart, PredictionPart } from "../../protocol/report.ts";
import { html, type Markup } from "./markup.ts";
import { versions } from "./versions.ts";

const WIDTH = 300;
const HEIGHT = 26;
const MARGIN = 8;
/** Half of the strokes at an interval's ends. */
const CAP = 9;
/** Room beyond the outermost value, as a factor. */
const ROOM = 1.08;

export function comparison(part: ComparisonPart, id: string): Markup {
  return html`<article class="comparison">
    <h4><span class="verdict-word ${part.verdict}">${part.verdict}</span>${part.caveats.length > 0 && html` <span class="soft">(${part.caveats.join("; ")})</span>`} ${part.speed !== "" && html`<strong>${part.speed}</strong>`} <span class="soft">${part.state}</span></h4>
    <p>${part.title}${part.proposal !== null && html` <code class="soft small">${part.proposal}</code>`}</p>
    ${part.reasons.length > 0 && html`<ul>${part.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}
    ${part.ratio !== null && interval(part.ratio, part.low, part.high)}
    <p class="soft small">${part.interval} ${part.method !== "" && `Method: ${part.method}.`} ${part.limits !== "" && `Limited by: ${part.limits}.`} Verified: ${part.verified}.</p>
    ${part.versions !== null && versions(part.versions, id)}
    ${part.cases.length > 1 && cases(part.cases, id)}
    ${part.predictions.length > 0 && predictions(part.predictions)}
  </article>`;
}

/** time(before) / time(after) next to 1.00x; the same stands in words above and below. */
function interval(ratio: number, low: number | null, high: number | null): Markup {
  const first = Math.min(1, ratio, low ?? ratio) / ROOM;
  const last = Math.max(1, ratio, high ?? ratio) * ROOM;
  const x = (value: number): string => (MARGIN + (Math.log(value / first) / Math.log(last / first)) * (WIDTH - 2 * MARGIN)).toFixed(1);
  const middle = HEIGHT / 2;
  return html`<svg class="interval" viewBox="0 0 ${WIDTH} ${HEIGHT + 14}" role="img" aria-label="time before / time after: ${ratio.toFixed(2)}${low !== null && high !== null && `, from ${low.toFixed(2)} to ${high.toFixed(2)}`}">
    <line class="grid" x1="${x(1)}" x2="${x(1)}" y1="2" y2="${HEIGHT}"/><text x="${x(1)}" y="${HEIGHT + 11}" text-anchor="middle">1.00x</text>
    ${low !== null && high !== null && html`<path class="range" d="M${x(low)} ${middle - CAP}V${middle + CAP}M${x(low)} ${middle}H${x(high)}M${x(high)} ${middle - CAP}V${middle + CAP}"/>`}
    <circle class="point" cx="${x(ratio)}" cy="${middle}" r="5"/>
    ${Math.abs(Math.log(ratio)) / Math.log(last / first) > 0.15 && html`<text x="${x(ratio)}" y="${HEIGHT + 11}" text-anchor="middle">${ratio.toFixed(2)}x</text>`}
  </svg>`;
}

function cases(parts: readonly CasePart[], id: string): Markup {
  return html`<details id="${id}-shapes"><summary>${parts.length} shapes</summary><div class="scroll"><table>
    <thead><tr><th scope="col">shape</th><th scope="col" class="number">weight</th><th scope="col">speed</th></tr></thead>
    <tbody>${parts.map((part) => html`<tr><th scope="row">${part.shape}</th><td class="number">${part.weight}</td><td>${part.text}</td></tr>`)}</tbody></table></div></details>`;
}

function predictions(parts: readonly PredictionPart[]): Markup {
  return html`<div class="scroll"><table><caption>What was predicted before anything ran, and what came of it</caption>
    <thead><tr><th scope="col">metric</th><th scope="col" class="number">before</th><th scope="col" class="number">predicted</th><th scope="col" class="number">counted after</th><th scope="col">outcome</th></tr></thead>
    <tbody>${parts.map(
      (part) => html`<tr><th scope="row">${part.metric}</th><td class="number">${part.before}</td><td class="number">${part.predicted}</td><td class="number">${part.actual}</td><td>${outcome(part)}</td></tr>`,
    )}</tbody></table></div>`;
}

function outcome(part: PredictionPart): string {
  if (part.is_hit === null) return "not counted";
  return part.is_hit ? "✓ hit" : "✗ miss";
}
