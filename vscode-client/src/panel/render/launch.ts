/** Parts of one launch: facts, findings, bars, the roofline. */

import type { Bar, Fact, FindingPart, PlotLine, RooflinePart, Spot } from "../../protocol/report.ts";
import { html, type Markup } from "./markup.ts";

const LABEL_ABOVE = -5;
const LABEL_BELOW = 15;

export function facts(parts: readonly Fact[]): Markup {
  return html`<dl class="cards">${parts.map((fact) => html`<div><dt>${fact.name}</dt><dd>${fact.value}<small>${fact.note}</small></dd></div>`)}</dl>`;
}

export function findings(parts: readonly FindingPart[]): Markup {
  if (parts.length === 0) return html`<p class="empty">No finding: no rule sees anything to fix.</p>`;
  return html`${parts.map(
    (finding) => html`<article class="finding ${finding.severity}">
      <h5><span class="severity">${finding.severity}</span> ${finding.code},
        <button type="button" class="line" data-line="${finding.line}">line ${finding.line + 1}</button>: ${finding.title}</h5>
      <p>${finding.message}.${finding.cost !== null && ` ${finding.cost}.`}</p>
      ${finding.evidence.length > 0 && evidence(finding)}
    </article>`,
  )}`;
}

function evidence(finding: FindingPart): Markup {
  return html`<details><summary>Evidence of ${finding.code}</summary><div class="scroll"><table>
    <thead><tr><th scope="col">id</th><th scope="col">metric</th><th scope="col" class="number">value</th><th scope="col">line</th><th scope="col">method</th><th scope="col">grade</th></tr></thead>
    <tbody>${finding.evidence.map(
      ([id, metric, value, line, method, grade]) =>
        html`<tr><td>${id}</td><td><code>${metric}</code></td><td class="number">${value}</td><td>${line}</td><td>${method}</td><td>${grade}</td></tr>`,
    )}</tbody></table></div></details>`;
}

/** A table whose bars repeat what the numbers say. */
export function shares(caption: string, bars: readonly Bar[]): Markup {
  return html`<table><caption class="skip">${caption}</caption>
    <thead class="skip"><tr><th scope="col">name</th><th scope="col">value</th><th scope="col">share</th></tr></thead>
    <tbody>${bars.map(
      (bar) => html`<tr><th scope="row" class="name">${bar.name}</th><td class="number">${bar.value}</td><td class="number">${bar.share}</td>
        <td class="fill"><svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="8" rx="1"/><rect width="${percent(bar.ratio)}" height="8" rx="1"/></svg></td></tr>`,
    )}</tbody></table>`;
}

export function roofline(part: RooflinePart): Markup {
  const { plot } = part;
  return html`<p class="soft small">Operations: floating-point instructions of the machine code, counted as two each (an upper bound). Bytes and time: performance model for ${part.target}.</p>
    <svg class="roofline" viewBox="0 0 ${part.width} ${part.height}" role="img" aria-label="Roofline of ${part.target}; its numbers are in the table below">
      ${plot.x_ticks.map(
        (tick) => html`<line class="grid" x1="${tick.at}" x2="${tick.at}" y1="${plot.top}" y2="${plot.bottom}"/><text x="${tick.at}" y="${plot.bottom + 17}" text-anchor="middle">${tick.label}</text>`,
      )}
      ${plot.y_ticks.map(
        (tick) => html`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${tick.at}" y2="${tick.at}"/><text x="${plot.left - 6}" y="${tick.at + 4}" text-anchor="end">${tick.label}</text>`,
      )}
      <text x="${(plot.left + plot.right) / 2}" y="${part.height - 10}" text-anchor="middle">operations per byte (logarithmic)</text>
      <text transform="translate(15 ${(plot.top + plot.bottom) / 2}) rotate(-90)" text-anchor="middle">operations per second (logarithmic)</text>
      ${plot.lines.map((line) => html`<line class="${line.is_slope ? "slope" : "flat"}" x1="${line.x1}" y1="${line.y1}" x2="${line.x2}" y2="${line.y2}"/>`)}
      ${plot.lines.map(ceiling)}
      ${plot.before.map((spot) => html`${moved(spot, plot.points)}<circle class="point before" cx="${spot.x}" cy="${spot.y}" r="6"/>`)}
      ${plot.points.map(
        (spot) => html`<circle class="point" cx="${spot.x}" cy="${spot.y}" r="6"/><text class="halo strong" x="${spot.x}" y="${spot.label_y}" text-anchor="middle">${spot.level}</text>`,
      )}
    </svg>
    <div class="scroll"><table><caption class="skip">Points of the roofline</caption>
      <thead><tr><th scope="col">against</th><th scope="col" class="number">intensity</th><th scope="col" class="number">at the predicted time</th><th scope="col" class="number">ceiling there</th></tr></thead>
      <tbody>${part.points.map(
        ([level, intensity, speed, bound]) =>
          html`<tr><th scope="row">${level}</th><td class="number">${intensity}</td><td class="number">${speed}</td><td class="number">${bound}</td></tr>`,
      )}</tbody></table></div>`;
}

/** A dashed line from where a level's point was to where it is. */
function moved(was: Spot, points: readonly Spot[]): Markup {
  const spot = points.find((other) => other.level === was.level);
  return html`${spot !== undefined && html`<line class="moved" x1="${was.x}" y1="${was.y}" x2="${spot.x}" y2="${spot.y}"/>`}`;
}

function ceiling(line: PlotLine): Markup {
  const shift = line.is_lowest ? LABEL_BELOW : LABEL_ABOVE;
  return html`<text class="halo" transform="translate(${line.label_x} ${line.label_y}) rotate(${line.angle})" dy="${shift}">${line.label}</text>`;
}

function percent(ratio: number): string {
  return Math.min(100, Math.max(0, ratio * 100)).toFixed(2);
}
