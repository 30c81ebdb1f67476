"""``kernelopt train policy``: a policy that orders steps is trained anew. What trains it is imported when it begins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import options as opt
from assistant.cli.loading import loading

__all__ = ["add_train_commands"]


def add_train_commands(app: typer.Typer) -> None:
    """Register the group."""
    train = typer.Typer(help="Train what orders edits where memory knows nothing of them.", no_args_is_help=True)
    train.callback()(_nothing)
    train.command("policy")(_policy)
    app.add_typer(train, name="train")


def _nothing() -> None:
    """Keeps ``policy`` a command of the group."""


def _policy(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder for searches, policy and card; the same command goes on there")],
    programs: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="Further programs: those of its suite.toml, or every source with main()")
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Programs that take no part, by name (plan/*.expected*)")
    ] = None,
    drawn: Annotated[int, typer.Option(min=0, help="Programs that are drawn as tasks make draws them")] = 60,
    draw_seed: Annotated[int, typer.Option(help="Of the drawn programs")] = 7,
    seeds: Annotated[int, typer.Option(min=1, max=20, help="Trainings with other random numbers; the first one is kept")] = 3,
    seed: Annotated[int, typer.Option(help="Of the first training")] = 0,
    steps: Annotated[int, typer.Option(min=0, help="Of policy optimization")] = 200,
    pretraining: Annotated[int, typer.Option(min=0, help="Steps of learning what edits are worth, before; 0: none")] = 200,
    units: Annotated[int, typer.Option(min=1, max=128, help="Of each of the two hidden layers")] = 32,
    candidates: Annotated[int, typer.Option(min=1, help="Tried of a kernel at most")] = 16,
    program_s: Annotated[float, typer.Option("--program-s", min=1, help="Seconds that the searches of a program may take")] = 120.0,
    is_judged: Annotated[
        bool, typer.Option("--judged", help="Judge candidates, too, not only predict their speed: twice the time")
    ] = False,
    device: opt.Device = None,
    target: opt.Target = None,
    is_searching: Annotated[bool, typer.Option("--search/--no-search", help="Whether programs that were not searched yet are")] = True,
) -> None:
    """Search programs once, train a policy on how their candidates ended, and hold it against other orders on families of kernels that it
    never saw. Needs PyTorch. Exit code 1: it is not shown to be better."""
    with loading():
        from assistant.cli.paths import plain_path
        from assistant.cli.training_answers import train_policy
        from assistant.training.lab import SearchLimits
        from assistant.training.learning import TrainingSettings
        from assistant.training.policy_run import AskedPolicy

    asked = AskedPolicy(
        out=plain_path(out),
        folders=tuple(plain_path(folder) for folder in programs or ()),
        leave_out=tuple(leave_out or ()),
        drawn=drawn,
        draw_seed=draw_seed,
        seeds=seeds,
        settings=TrainingSettings(seed=seed, units=units, steps=steps, pretraining_steps=pretraining),
        limits=SearchLimits(candidates=candidates, is_judged=is_judged, program_s=program_s),
        device=device or "cpu",
        target=target,
        is_searching=is_searching,
    )
    raise typer.Exit(train_policy(asked))
