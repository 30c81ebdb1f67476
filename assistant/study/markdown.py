"""The page of a study's results. Pure.

Example::

    results_page(results)      # "# Study of 12 frozen nodes…"
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from assistant.model.comparison import format_ratio
from assistant.study.arms import PLAN_PLAYER, StudyDesign, orders_of, players_of
from assistant.study.outcomes import Grade
from assistant.study.results import ArmRates, Attribution, Contribution, Difference, StudyResults
from assistant.study.statistics import RESAMPLE_COUNT, Figure

__all__ = ["attribution_title", "figure_words", "results_page"]

_REACHED = {Grade.COMPILE: "that build", Grade.PASS: "that are right", Grade.FAST: "that are right and faster"}
_Shown = Callable[[float], str]
"""A figure's number, in words."""
_MISSING = "–"


def results_page(results: StudyResults) -> str:
    """Markdown."""
    return "\n".join((*_head(results), *_rates(results), *(line for one in results.attributions for line in _attribution(one)))) + "\n"


def attribution_title(one: Attribution) -> str:
    """``What makes answers that are right``."""
    return "How much answers gain" if one.grade is None else f"What makes answers {_REACHED[one.grade]}"


def figure_words(one: Attribution, figure: Figure) -> str:
    """``+0.310 [+0.220, +0.410]``; of gains factors."""
    return _words(_times if one.grade is None else _signed, figure)


def _head(results: StudyResults) -> Iterator[str]:
    design = results.design
    yield f"# Study of {len(results.nodes)} frozen nodes"
    yield ""
    yield f"Models: {', '.join(design.models) or 'as set'}. Players: {', '.join(players_of(design))}. {_plan_words(design)}"
    yield f"{results.answer_count:,} of {results.asked_count:,} draws, {design.draw_count} for each node and arm; seed {design.seed}."
    spent = results.spending
    money = "of unknown price" if spent.money_usd is None else f"${spent.money_usd:.2f}"
    yield f"{spent.call_count:,} calls, {spent.token_count:,} tokens, {money}."
    yield f"Intervals: 95 %, by {RESAMPLE_COUNT:,} bootstrap resamples of nodes, and of answers within each; of rates Wilson's."
    yield "Bold: the interval excludes 0, as it does by chance for one figure in twenty that is 0."
    orders = orders_of(design)
    if orders:
        yield f"Values are estimates from {len(orders)} sampled orders of {len(players_of(design))} players, ± their standard error."
    yield ""


def _plan_words(design: StudyDesign) -> str:
    return "The plan is a player." if PLAN_PLAYER in players_of(design) else f"The plan is {design.plan}."


def _rates(results: StudyResults) -> Iterator[str]:
    generations = {rates.generation for rates in results.rates} - {None}
    yield "## How answers fared"
    yield ""
    yield "`fail`: no edit, or it does not build. `compile`: it builds and is wrong. `pass`: right, not faster. `fast`: right and faster."
    yield "`gain`: geometric mean of time before / time after, as far as it was judged; what is not faster counts as 1.00x."
    yield ""
    yield from _rates_table(rates for rates in results.rates if rates.generation is None)
    if len(generations) > 1:
        for generation in sorted(g for g in generations if g is not None):
            yield f"### Generation {generation}"
            yield ""
            yield from _rates_table(rates for rates in results.rates if rates.generation == generation)


def _rates_table(rates: Iterable[ArmRates]) -> Iterator[str]:
    yield "| arm | draws | fail | compile | pass | fast | gain | not judged | to be decided |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for one in rates:
        shares = map(_share, one.intervals)
        gain = _MISSING if one.gain_ratio is None else f"{format_ratio(one.gain_ratio)}x"
        yield f"| {one.arm} | {one.draw_count} | {' | '.join(shares)} | {gain} | {one.unjudged_count} | {one.decision_count} |"
    yield ""


def _share(rate: Figure | None) -> str:
    return _MISSING if rate is None else f"{rate.value:.0%} [{100 * rate.low:.0f}, {100 * rate.high:.0f}]"


def _attribution(one: Attribution) -> Iterator[str]:
    is_gain = one.grade is None
    shown = _times if is_gain else _signed
    yield f"## {attribution_title(one)}"
    yield ""
    whole = _times if is_gain else _percent
    rate = " to ".join(_MISSING if value is None else whole(value) for value in (one.nothing, one.everything))
    yield f"From nothing shown to everything: {rate}. {one.node_count} nodes have draws of every coalition."
    if is_gain:
        yield "Each figure is a factor of the gain, the geometric mean over nodes; 1.00x is no effect."
    yield ""
    yield from _contributions("player", one.values, shown)
    yield from _differences("effect of a player", one.effects, shown)
    if one.pairs:
        more, less = ("above 1", "below 1") if is_gain else ("+", "−")
        yield f"Beyond what they add alone ({more}: they need each other; {less}: one replaces the other):"
        yield ""
        yield from _contributions("together", (*one.pairs, *one.triples), shown)
    yield from _differences("control", one.controls, shown)
    yield from _differences("plan of another model", one.transfers, shown)


def _contributions(title: str, rows: tuple[Contribution, ...], shown: _Shown) -> Iterator[str]:
    yield f"| {title} | Shapley | Banzhaf |"
    yield "|---|---|---|"
    for row in rows:
        shapley, banzhaf = _figure(shown, row.shapley, row.shapley_error), _figure(shown, row.banzhaf, row.banzhaf_error)
        yield f"| {' × '.join(row.group)} | {shapley} | {banzhaf} |"
    yield ""


def _differences(title: str, rows: tuple[Difference, ...], shown: _Shown) -> Iterator[str]:
    if rows:
        yield f"| {title} | difference |"
        yield "|---|---|"
        for row in rows:
            yield f"| {row.name} | {_figure(shown, row.figure)} |"
        yield ""


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _percent(value: float) -> str:
    return f"{value:.0%}"


def _times(log_ratio: float) -> str:
    return f"{format_ratio(math.exp(log_ratio))}x"


def _figure(shown: _Shown, figure: Figure | None, error: float | None = None) -> str:
    """Bold where its interval excludes 0."""
    if figure is None:
        return _MISSING
    sampled = "" if error is None else f" ± {error:.3f}"
    words = _words(shown, figure, sampled)
    return f"**{words}**" if figure.excludes_zero else words


def _words(shown: _Shown, figure: Figure, sampled: str = "") -> str:
    return f"{shown(figure.value)}{sampled} [{shown(figure.low)}, {shown(figure.high)}]"
