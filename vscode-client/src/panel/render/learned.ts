/** The body of the page of what was learned: a table for each state with its medians drawn, then sequences, lessons, reasons. Pure. */

import type { AxisPart, LearnedPage, LessonPart, StatePart, TechniquePart, TriedPart } from "../../protocol/learned.ts";
import { html, type Markup } from "./markup.ts";

const WIDTH = 220;
const HEIGHT = 18;
const MARGIN = 8;
/** Half of the strokes at an interval's ends. */
const CAP = 5;
const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

export function learned(page: LearnedPage): Markup {
  const { axis, states, sequences, lessons, tried, nothing } = page;
  return html`
    ${nothing !== "" && html`<p class="empty" role="status">${nothing}</p>`}
    ${states.map((state, index) => table(state, axis, `s${index}`))}
    ${sequences.length > 0 && html`<h2 class="learned">Sequences that are offered as one step</h2><ul>${sequences.map((sequence) => html`<li>${sequence}</li>`)}</ul>`}
    ${lessons.length > 0 && html`<h2 class="learned">Lessons</h2>${lessons.map(lesson)}`}
    ${tried.length > 0 && html`<h2 class="learned">Why each edit was tried when it was</h2><p class="soft small">The ${tried.length} newest.</p>${reasons(tried)}`}
    <footer class="small soft"><p>Medians over kernels of time before / time after. The interval holds the median with 95 % confidence;
    below six kernels it is the range. What was predicted was never timed. Memory orders edits and forbids none.</p></footer>`;
}

function table(state: StatePart, axis: AxisPart | null, id: string): Markup {
  return html`<section class="learned" aria-labelledby="${id}"><h2 id="${id}">${state.title} <span class="soft small">${state.device}</span></h2>
    <div class="scroll"><table>
    <thead><tr><th scope="col">technique</th><th scope="col">tried on</th><th scope="col">right</th><th scope="col" class="number">median [interval]</th>
      <th scope="col">${axis !== null && ticks(axis)}</th><th scope="col">how</th><th scope="col">people</th></tr></thead>
    <tbody>${state.techniques.map((part) => row(part, axis))}</tbody></table></div></section>`;
}

function row(part: TechniquePart, axis: AxisPart | null): Markup {
  const how = [part.how, part.imported].filter((words) => words !== "").join(", ");
  return html`<tr><th scope="row">${part.technique}</th><td>${part.kernels}</td><td>${part.right}</td><td class="number">${part.speed}</td>
    <td>${axis !== null && part.place !== null && drawn(part.place, part, axis)}</td><td>${how}</td><td>${part.people}</td></tr>`;
}

/** The median with its interval next to 1.00x; the same stands in words beside it. */
function drawn(place: number, { low, high }: TechniquePart, axis: AxisPart): Markup {
  const middle = HEIGHT / 2;
  return html`<svg class="median" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
    <line class="grid" x1="${x(axis.one)}" x2="${x(axis.one)}" y1="0" y2="${HEIGHT}"/>
    ${low !== null && high !== null && html`<path class="range" d="M${x(low)} ${middle - CAP}V${middle + CAP}M${x(low)} ${middle}H${x(high)}M${x(high)} ${middle - CAP}V${middle + CAP}"/>`}
    <circle class="point" cx="${x(place)}" cy="${middle}" r="4"/></svg>`;
}

function ticks(axis: AxisPart): Markup {
  return html`<svg class="median" width="${WIDTH}" height="14" viewBox="0 0 ${WIDTH} 14" role="img" aria-label="logarithmic, from slower to faster">
    ${axis.ticks.map(([place, text]) => html`<text x="${x(place)}" y="11" text-anchor="middle">${text}</text>`)}</svg>`;
}

function x(place: number): string {
  return (MARGIN + place * (WIDTH - 2 * MARGIN)).toFixed(1);
}

function lesson(part: LessonPart): Markup {
  return html`<p><strong>${part.technique}</strong> <code class="soft small">${part.id}</code></p>
    <ul>${part.statements.map((statement) => html`<li>${statement}</li>`)}</ul><p class="soft small">Learned from ${part.rows}.</p>`;
}

function reasons(tried: readonly TriedPart[]): Markup {
  return html`<div class="scroll"><table>
    <thead><tr><th scope="col">edit</th><th scope="col">kernel</th><th scope="col">tried</th><th scope="col">came to</th><th scope="col">when</th></tr></thead>
    <tbody>${tried.map(
      (part) => html`<tr><th scope="row">${part.technique}</th><td><code>${part.kernel}</code> <span class="soft small">${part.file}</span></td>
      <td>${part.tried}</td><td>${part.outcome}: ${part.reason}</td><td class="soft small">${WHEN.format(part.created_ms)}</td></tr>`,
    )}</tbody></table></div>`;
}
