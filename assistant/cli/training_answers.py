"""What ``train policy`` does and prints."""

from __future__ import annotations

from pathlib import Path

import typer

from assistant.cli import exit_codes
from assistant.cli.compose import open_session
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.status import StatusLine
from assistant.engine import Session
from assistant.training.policy_run import AskedPolicy, FoundPolicy, PolicyRun
from assistant.training.report import Group
from assistant.training.scoring import Comparison

__all__ = ["train_policy"]


def train_policy(asked: AskedPolicy) -> int:
    """Exit code 1 where the policy is not shown to be better. Raises KernelOptError."""

    async def work() -> int:
        with StatusLine(console(is_error=True)) as status:
            found = await PolicyRun(asked, _session).run(status.say)
        for line in _lines(found):
            typer.echo(line)
        return exit_codes.DONE if found.report.is_better else exit_codes.ANSWER_IS_NO

    return run_async(work, "interrupted; the same command goes on")


def _session(memory: Path) -> Session:
    return open_session("train", memory=memory)


def _lines(found: FoundPolicy) -> list[str]:
    lines = [f"{found.file}: {found.size_bytes:,} bytes; its card is beside it"]
    for group in found.report.groups:
        lines += _group_lines(group)
    if found.failures:
        program, why = found.failures[0]
        lines.append(f"{len(found.failures)} programs were not searched to their end (as {program}: {why})")
    verdict = "fewer candidates than by each other order, on kernels of families that it never saw"
    lines.append(verdict if found.report.is_better else f"not shown: {verdict}")
    return lines


def _group_lines(group: Group) -> list[str]:
    means = ", ".join(f"{name} {mean:.2f}" for name, mean in group.means)
    return [
        f"{group.kernel_count} kernels with {group.name}, candidates until 95 % of the best gain: {means}",
        *(f"  {_words(one)}" for one in group.comparisons),
    ]


def _words(one: Comparison) -> str:
    return f"{one.of} saves {one.saved:.0%} [{one.low:.0%}, {one.high:.0%}] against {one.against}: fewer on {one.fewer}, more on {one.more}"
