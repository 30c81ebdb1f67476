/** The body of the profile panel. Pure: reports in, markup out; what a person does with it is `webview/`'s. */

import type { KernelPart, LaunchPart, Report } from "../../protocol/report.ts";
import { comparison } from "./comparison.ts";
import { facts, findings, roofline, shares } from "./launch.ts";
import { html, type Markup } from "./markup.ts";
import { source } from "./source.ts";

/** Reports of one document: notebooks and Python files may hold several CUDA texts. */
export function body(reports: readonly Report[]): Markup {
  const shown = reports.filter((report) => report.kernels.length > 0);
  if (shown.length === 0) return html`<p class="empty" role="status">${reports[0]?.nothing ?? "The document is not open, or holds no CUDA source."}</p>`;
  const kernels = shown.flatMap((report, text) => report.kernels.map((kernel, index) => ({ kernel, id: `k${text}-${index}` })));
  return html`
    <p class="soft small">${shown[0]?.device} · ${shown[0]?.rung}</p>
    ${[...new Set(shown.map((report) => report.program))].map((program) => program !== "" && html`<p class="verdict program">${program}</p>`)}
    ${kernels.length > 1 &&
    html`<nav aria-label="Kernels"><ul class="contents">
      ${kernels.map(({ kernel, id }) => html`<li><a href="#${id}"><code>${kernel.name}</code></a> <span class="soft">${kernel.headline}</span></li>`)}
    </ul></nav>`}
    ${kernels.map(({ kernel, id }) => section(kernel, id))}
    <footer class="small soft">
      <p>Counters graded <em>exact</em> equal Nsight Compute's theoretical counters by rule; <em>estimated</em> ones may differ.
      PREDICTED times are those of a performance model for the named GPU, never measurements.</p>
    </footer>`;
}

function section(kernel: KernelPart, id: string): Markup {
  const [first, ...others] = kernel.launches;
  return html`<section class="kernel" id="${id}" aria-labelledby="${id}-name">
    <h2 id="${id}-name"><button type="button" class="line" data-line="${kernel.line}" title="Go to the kernel">${kernel.name}</button></h2>
    <p class="verdict">${kernel.headline}</p>
    ${kernel.is_stale && html`<p class="note" role="note">The kernel was edited after this was counted. Lines that changed have no place any more; profile again.</p>`}
    ${first !== undefined && html`<h3>${others.length > 0 ? "Costliest launch shape" : "Launch"}</h3>${launch(first, `${id}-0`)}`}
    ${others.map(
      (other, index) => html`<details id="${id}-${index + 1}"><summary>${other.title}</summary>${launch(other, `${id}-${index + 1}`)}</details>`,
    )}
    ${kernel.not_shown !== "" && html`<p class="soft small">${kernel.not_shown}.</p>`}
    <h3>Before and after</h3>
    ${kernel.comparisons.length === 0 && html`<p class="soft">No edit of this kernel was judged yet: run Optimize, or verify an edit of your own.</p>`}
    ${kernel.comparisons.map((part, index) => comparison(part, `${id}-c${index}`))}
  </section>`;
}

function launch(part: LaunchPart, id: string): Markup {
  return html`
    <p class="soft small">${part.title}</p>
    ${facts(part.facts)}
    <h4>Findings</h4>
    ${findings(part.findings)}
    <h4>Source, with heat and machine code</h4>
    <p class="soft small">Heat: ${part.heat}. Counters: ${part.method}.</p>
    ${source(part.rows, id)}
    <div class="pair">
      <div><h4>What takes the time</h4>
        ${shares("Terms of the performance model", part.terms)}
        <p class="soft small">Terms of the performance model as shares of the predicted time. They overlap, so they do not add up.</p></div>
      <div><h4>Instruction mix</h4>
        ${part.mix.length > 0 ? shares("Instruction classes", part.mix) : html`<p class="empty">No machine code, so no instruction counts.</p>`}</div>
    </div>
    <h4>Stalls</h4>
    ${part.stalls.length > 0 ? shares("Warp stalls by reason", part.stalls) : html`<p class="empty">${part.no_stalls}</p>`}
    <h4>Roofline</h4>
    ${part.roofline === null ? html`<p class="empty">${part.no_roofline}</p>` : roofline(part.roofline)}
    ${part.estimates.length > 0 &&
    html`<details id="${id}-estimates"><summary>What is estimated, and why</summary><ul>${part.estimates.map((why) => html`<li>${why}</li>`)}</ul></details>`}`;
}
