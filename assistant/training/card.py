"""The card of a policy: what it was trained on, with which numbers, and how it fared; as JSON and as a page. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from assistant.plan.policy.network import PolicyCard
from assistant.serialize import encode
from assistant.training.episodes import candidate_count
from assistant.training.learning import Trained, held_back_of
from assistant.training.report import BASELINES, PolicyReport
from assistant.training.table import KernelTable, ProgramTables

if TYPE_CHECKING:
    from assistant.training.policy_run import AskedPolicy

__all__ = ["card_facts", "card_page"]


def card_facts(
    asked: AskedPolicy,
    programs: Sequence[ProgramTables],
    training: Sequence[KernelTable],
    trial: Sequence[KernelTable],
    results: Sequence[Trained],
    report: PolicyReport,
) -> PolicyCard:
    """JSON values alone."""
    devices = sorted({each.situation.state.device.name for table in training for each in table.rounds})
    return PolicyCard(
        {
            "what": "orders the steps that rules wrote where memory knows nothing of them",
            "devices": devices,
            "held_out_families": list(asked.held_out),
            "programs": {
                "searched": len(programs),
                "candidates judged": sum(each.is_judged for each in programs),
                "speed predicted alone": sum(not each.is_judged for each in programs),
                "broken off": sum(bool(each.failure) for each in programs),
            },
            "drawn": {"programs": asked.drawn, "seed": asked.draw_seed},
            "training": _counts(training) | {"held back to choose when to end": len(held_back_of(training)), "digest": _digest(training)},
            "trial": _counts(trial) | {"digest": _digest(trial)},
            "settings": encode(asked.settings),
            "seeds": [asked.settings.seed + index for index in range(asked.seeds)],
            "chosen_steps": [result.chosen_step for result in results],
            "rewards": [
                {"before": round(result.rewards[0][2], 4), "best": round(max(each[2] for each in result.rewards), 4)} for result in results
            ],
            "report": _rounded(encode(report)),
            "is_better": report.is_better,
        }
    )


def card_page(card: PolicyCard) -> str:
    """Markdown."""
    facts = card.facts
    programs = facts["programs"]
    lines = [
        "# Card of a technique policy",
        "",
        "Written by `kernelopt train policy` ([how](../how-to/train-a-policy.md)); do not edit.",
        "",
        f"Seeds {', '.join(map(str, facts['seeds']))}; the first one's network is in the file. Devices: {', '.join(facts['devices'])}.",
        f"Of {programs['searched']} programs the candidates of {programs['candidates judged']} were judged, those of the others built,"
        f" counted and their speed predicted, and taken to be right; {programs['broken off']} searches were broken off.",
        "",
        "| | kernels | with something to find | with a choice | candidates |",
        "|---|---|---|---|---|",
    ]
    for name in ("training", "trial"):
        some = facts[name]
        lines.append(f"| {name} | {some['kernels']} | {some['with something to find']} | {some['with a choice']} | {some['candidates']} |")
    lines += ["", f"No kernel of these families was trained on: {', '.join(facts['held_out_families'])}. The trial's are all of these."]
    for group in facts["report"]["groups"]:
        lines += ["", *_group_lines(group)]
    lines += ["", *_stop_lines(facts["report"]["stops"])]
    verdict = (
        "It needs fewer candidates than each of these orders." if facts["is_better"] else "It is **not** shown to be better than each."
    )
    return "\n".join([*lines, "", verdict, ""])


def _group_lines(group: Mapping[str, Any]) -> list[str]:
    means = dict(group["means"])
    lines = [
        f"## Kernels with {group['name']}: {group['kernel_count']} of {group['program_count']} programs",
        "",
        "Candidates until 95 % of the best gain, means: " + ", ".join(f"{name} {mean:.2f}" for name, mean in means.items()) + ".",
        "",
        "| against | saved, all seeds | fewer / more on | " + " | ".join(f"seed {seed}" for seed, _ in group["by_seed"]) + " |",
        "|---|---|---|" + "---|" * len(group["by_seed"]),
    ]
    for index, name in enumerate(BASELINES):
        own = group["comparisons"][index]
        seeds = " | ".join(_saved(comparisons[index]) for _, comparisons in group["by_seed"])
        lines.append(f"| {name} | {_saved(own)} | {own['fewer']} / {own['more']} | {seeds} |")
    behind = group["comparisons"][-1]
    return [
        *lines,
        f"| memory alone, by memory with the policy behind it | {_saved(behind)} | {behind['fewer']} / {behind['more']} |"
        + " |" * len(group["by_seed"]),
    ]


def _stop_lines(stops: Sequence[Mapping[str, Any]]) -> list[str]:
    by_seed = "; ".join(f"seed {seed}: {one['tried']:.0%} tried, {one['found']:.0%} found" for seed, one in enumerate(stops))
    return [f"A search that stopped where the policy would (kernelopt never does), of all candidates and of the gains: {by_seed}."]


def _saved(one: Mapping[str, Any]) -> str:
    return f"{one['saved']:.0%} [{one['low']:.0%}, {one['high']:.0%}]"


def _counts(tables: Sequence[KernelTable]) -> dict[str, Any]:
    return {
        "kernels": len(tables),
        "programs": len({table.program for table in tables}),
        "with something to find": sum(table.has_something for table in tables),
        "with a choice": sum(table.has_choice for table in tables),
        "candidates": sum(map(candidate_count, tables)),
        "families": dict(sorted(Counter(table.family for table in tables).items())),
    }


def _digest(tables: Sequence[KernelTable]) -> str:
    """Of the kernels and how their searches ended."""
    names = "\n".join(f"{table.name} {len(table.rounds)} {table.best:.6f}" for table in tables)
    return sha256(names.encode()).hexdigest()[:16]


def _rounded(value: Any) -> Any:
    """Numbers with four digits behind the point, so that a card stays small."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return [_rounded(each) for each in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]
