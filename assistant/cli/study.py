"""Commands of ``study``: what makes a model's plans and code better; freeze, intervene, report.

Their options only; ``study_answers`` does what they say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import options as opt
from assistant.cli.loading import loading
from assistant.model.completion import Caps

__all__ = ["add_study_commands"]

_Study = Annotated[Path, typer.Option("--study", metavar="DIR", help="Folder of the study")]
_FOLDER = Path("kernelopt-study")


def add_study_commands(app: typer.Typer) -> None:
    """Register the group."""
    study = typer.Typer(
        help="Which signals make a model's edits better: decisions of recorded searches, asked again with and without each.",
        no_args_is_help=True,
    )
    study.command("freeze")(_freeze)
    study.command("intervene")(_intervene)
    study.command("report")(_report)
    app.add_typer(study, name="study")


def _freeze(
    context: typer.Context,
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Jobs of searches that a model planned: the first characters do")],
    study: _Study = _FOLDER,
    device: opt.Device = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    timeout: opt.Timeout = None,
) -> None:
    """Freeze every version that a model wrote code for: its text, what was known then, the exact prompts. Arguments of its program
    follow --."""
    with loading():
        from assistant.cli.paths import plain_path
        from assistant.cli.study_answers import freeze
        from assistant.study import ProgramOptions

    program = ProgramOptions(device, target, opt.words_of(cflags), tuple(context.obj or ()), timeout)
    raise typer.Exit(freeze(plain_path(study), tuple(runs), program))


def _intervene(
    study: _Study = _FOLDER,
    signals: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Signals that are there or not, with commas: profile, compile, sanitizer, static, hardware, memory, verdicts; "
            "NAME:summarised where it is to be summarised. Left out: go on with the study",
        ),
    ] = None,
    plan: Annotated[str, typer.Option(metavar="HOW", help="vary: there or not, like a signal; on; off")] = "vary",
    controls: Annotated[
        str, typer.Option(metavar="NAMES", help="no-plan, dummy-plan, random-feedback with commas, or none")
    ] = "no-plan,dummy-plan",
    draws: Annotated[int, typer.Option(min=1, help="Answers for each frozen node in each way")] = 4,
    orders: Annotated[int, typer.Option(min=2, help="Orders that are sampled with more than six players")] = 16,
    seed: Annotated[int, typer.Option(help="Of orders, random feedback and the bootstrap")] = 0,
    other_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A second model of the endpoint: each writes by the other's plans, too")
    ] = None,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="Dollars for language models at most, for the whole study")] = None,
    budget_tokens: Annotated[int | None, typer.Option(min=0, help="Tokens at most, for the whole study")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask; without it the command ends after its estimate of the cost")] = False,
    as_json: opt.Json = False,
) -> None:
    """Ask again with each signal there or not, and judge what comes. Prints the cost first; killed, it goes on where it was."""
    with loading():
        from assistant.cli.paths import plain_path
        from assistant.cli.study_answers import Asked, intervene

    asked = Asked(signals, plan, controls, draws, orders, seed, other_model)
    raise typer.Exit(intervene(plain_path(study), asked, Caps(money_usd=budget_usd, token_count=budget_tokens), yes, as_json))


def _report(
    study: _Study = _FOLDER, as_json: Annotated[bool, typer.Option("--json", help="The results as one JSON object")] = False
) -> None:
    """Rates, what each signal contributes with intervals, interactions, controls; also written as report.md, report.json and report.svg."""
    with loading():
        from assistant.cli.paths import plain_path
        from assistant.cli.study_answers import report

    raise typer.Exit(report(plain_path(study), as_json))
