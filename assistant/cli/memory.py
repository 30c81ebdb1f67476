"""Commands about what was learned and the file it is kept in: memory show, why, path, export, import, learn, diff, revert, names,
merge, part, verify, forget.

Their options only; ``memory_answers`` does what they say.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.options import Json

__all__ = ["add_memory_commands"]


def add_memory_commands(app: typer.Typer) -> None:
    """Register the group."""
    memory = typer.Typer(help="What was learned, and the file it is kept in.", no_args_is_help=True)
    for name, command in (
        ("show", _show),
        ("why", _why),
        ("path", _path),
        ("export", _export),
        ("import", _import),
        ("learn", _learn),
        ("diff", _diff),
        ("revert", _revert),
        ("names", _names),
        ("merge", _merge),
        ("part", _part),
        ("verify", _verify),
        ("forget", _forget),
    ):
        memory.command(name)(command)
    app.add_typer(memory, name="memory")


def _show(
    plot: Annotated[
        Path | None, typer.Option(metavar="OUT.svg", help="Draw the medians with their intervals as a picture that loads nothing")
    ] = None,
    as_json: Json = False,
) -> None:
    """What was learned: by state and technique, on how many kernels it was tried, how often it was right, what it gained."""
    with loading():
        from assistant.cli.memory_answers import print_knowledge

    print_knowledge(as_json, plot)


def _why(
    candidate: Annotated[
        str, typer.Argument(metavar="CANDIDATE", help="A candidate's id, or the first characters of one; or a proposal's (P3)")
    ],
    as_json: Json = False,
) -> None:
    """Why a candidate was tried when it was: what was expected of it, by which evidence, what was drawn, and what came of it."""
    with loading():
        from assistant.cli.memory_answers import print_why

    print_why(candidate, as_json)


def _path() -> None:
    """Where the memory file is."""
    with loading():
        from assistant.cli.memory_answers import print_memory_path

    print_memory_path()


def _export(
    learned: Annotated[bool, typer.Option("--learned", help="Only what was learned: no source, paths, kernels' names or reasons")] = False,
) -> None:
    """Every attempt and decision as JSON lines."""
    with loading():
        from assistant.cli.memory_answers import export

    export(learned)


def _import(file: Annotated[Path, typer.Argument(help="What memory export --learned of another memory wrote")]) -> None:
    """Learn from another memory: its numbers count half, and two kernels of your own outweigh all of them."""
    with loading():
        from assistant.cli.memory_answers import import_file

    import_file(file)


def _learn(
    is_trial: Annotated[bool, typer.Option("--dry-run", help="Show what would be kept, and keep nothing")] = False,
    with_model: Annotated[
        bool, typer.Option("--model", help="Let the language model of the settings propose, too; it is sent no source")
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn from the trials when each technique paid and how it was written; what predicts better on kernels held out is kept."""
    with loading():
        from assistant.cli.lesson_answers import learn

    learn(is_trial, with_model, as_json)


def _diff(
    name: Annotated[str | None, typer.Argument(metavar="[TECHNIQUE]", help="A technique or a lesson's id; left out: all")] = None,
    as_json: Json = False,
) -> None:
    """What was learned beyond the techniques' own texts, as diffs with the trials that it was learned from."""
    with loading():
        from assistant.cli.lesson_answers import print_diff

    print_diff(name, as_json)


def _revert(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A technique, a lesson's id, or a sequence that is offered as one (A+B)")],
    is_undone: Annotated[bool, typer.Option("--undo", help="Offer a sequence again that was reverted")] = False,
) -> None:
    """Take back the newest lesson on a technique, or offer a sequence of techniques as one step no more."""
    with loading():
        from assistant.cli.lesson_answers import revert

    revert(name, is_undone)


def _names(as_json: Json = False) -> None:
    """Names that go by another technique, with the reason; names whose edits are alike and that may be merged."""
    with loading():
        from assistant.cli.memory_answers import print_names

    print_names(as_json)


Name = Annotated[str, typer.Argument(help="A technique's name")]


def _merge(
    name: Name,
    technique: Annotated[str, typer.Argument(help="The technique that it means")],
    reason: Annotated[str, typer.Option(help="Why, for those who read it later")] = "a person merged them",
) -> None:
    """From now on, and for all that is kept, let a name go by a technique of another name."""
    with loading():
        from assistant.cli.memory_answers import merge

    merge(name, technique, reason)


def _part(name: Name) -> None:
    """Let a name that was merged stand for itself again."""
    with loading():
        from assistant.cli.memory_answers import part

    part(name)


def _verify(as_json: Json = False) -> None:
    """Re-derive every hash and the chain of records; exit 1 if anything is not as it was written."""
    with loading():
        from assistant.cli.memory_answers import verify

    verify(as_json)


def _forget(
    file: Annotated[Path | None, typer.Argument(help="Everything about this file")] = None,
    workspace: Annotated[Path | None, typer.Option(help="Everything about this workspace")] = None,
    before: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Everything older than this day")] = None,
) -> None:
    """Purge what memory holds of a file, a workspace or a time; a tombstone without contents stays."""
    with loading():
        from assistant.cli.memory_answers import forget

    forget(file, workspace, before)
