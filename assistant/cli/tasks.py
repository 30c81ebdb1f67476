"""Commands about tasks for coding agents: task new, copy, show, trajectory, learn, restore; tasks make, judge; and what an agent asks in
its folder: judge, ask-memory.

Their options only; ``tasks_answers`` and ``tasks_making`` do what they say.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import options as opt
from assistant.cli.loading import loading
from assistant.cli.options import Json

__all__ = ["TaskFolder", "add_task_commands", "is_task_folder"]

_TASK_FILE = "task.json"

Place = Annotated[
    str,
    typer.Argument(metavar="[DIR|ID]", help="An agent's folder, or a task's id; left out: this folder", show_default=False),
]
TaskFolder = Annotated[
    Path | None,
    typer.Option("--task", metavar="DIR", help="The folder of a task; left out: this folder", show_default=False),
]


class Form(StrEnum):
    """How a trajectory is written."""

    CALLS = "calls"
    MESSAGES = "messages"
    STEPS = "steps"


def add_task_commands(app: typer.Typer) -> None:
    """Register the group and what stands beside it."""
    task = typer.Typer(help="Folders in which coding agents make kernels faster, judged from outside of them.", no_args_is_help=True)
    for name, command in (
        ("new", _new),
        ("copy", _copy),
        ("show", _show),
        ("trajectory", _trajectory),
        ("learn", _learn),
        ("restore", _restore),
    ):
        task.command(name)(command)
    app.add_typer(task, name="task")
    tasks = typer.Typer(help="Many tasks at once.", no_args_is_help=True)
    tasks.callback()(lambda: None)
    tasks.command("make")(_make)
    tasks.command("judge")(_judge_many)
    app.add_typer(tasks, name="tasks")
    app.command("judge")(_judge)
    app.command("ask-memory")(_ask_memory)


def is_task_folder() -> bool:
    """Whether the folder that the command is given in names a task."""
    return Path(_TASK_FILE).is_file()


def _new(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CUDA source, or a PyTorch task (Model, get_inputs)")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The agent's folder; left out: FILE's name with -task", show_default=False)
    ] = None,
    sources: Annotated[
        list[Path] | None, typer.Option("--source", metavar="FILE", help="A further source of the program; repeatable")
    ] = None,
    further: Annotated[
        list[Path] | None, typer.Option("--with", metavar="FILE", help="Another file that the program reads when it runs; repeatable")
    ] = None,
    kernel: opt.Kernel = None,
    device: opt.Device = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    timeout: opt.Timeout = None,
    region: opt.Region = None,
    allow: Annotated[
        str,
        typer.Option(
            "--allow",
            help="Decisions that count without a person, after commas: alignment, arch, assumption, fast-math, library, nan, order, "
            "precision; host allows edits of host code",
        ),
    ] = "none",
    judge_count: Annotated[int, typer.Option("--judge-calls", min=1, help="Calls of judge that the agent has")] = 20,
    wall_s: Annotated[float, typer.Option("--wall", min=1, metavar="SECONDS", help="Seconds that all its calls may take together")] = 3600,
    characters: Annotated[int, typer.Option("--answer-characters", min=8000, help="Most characters of one answer")] = 16_000,
    names: Annotated[
        list[str] | None,
        typer.Option("--for", metavar="AGENT", help="claude, codex, copilot, cursor or gemini; repeatable. Left out: all"),
    ] = None,
    operator: Annotated[str | None, typer.Option("--op", metavar="CLASS", help="A PyTorch reference that is not called Model")] = None,
    only_custom: Annotated[bool, typer.Option("--only-custom", help="Of a PyTorch task: functions of it that compute are wrong")] = False,
    backward: Annotated[bool, typer.Option("--backward", help="Of a PyTorch task: gradients are compared, too")] = False,
    as_json: Json = False,
) -> None:
    """Make a folder for an agent: FILE to edit, a read-only reference, notes, skills, a server that judges. FILE is judged first."""
    with loading():
        from assistant.agents.tasks import Budget, JudgeSettings, NewTask
        from assistant.cli.paths import plain_path
        from assistant.cli.tasks_answers import make
        from assistant.engine import AllowOption

    allowed = AllowOption.read(allow)
    settings = JudgeSettings(
        kernel=kernel,
        device=device,
        target=target,
        region=region,
        cflags=opt.words_of(cflags),
        arguments=context.obj,
        timeout_s=timeout,
        allowed=allowed.decisions,
        may_edit_host_code=allowed.is_host_code,
        class_name=operator,
        only_custom=only_custom,
        is_backward=backward,
    )
    new = NewTask(
        file=plain_path(file),
        folder=plain_path(folder if folder is not None else Path(f"{file.stem}-task")),
        settings=settings,
        budget=Budget(judge_count, wall_s),
        answer_characters=characters,
        sources=tuple(map(plain_path, sources or ())),
        further=tuple(map(plain_path, further or ())),
    )
    raise typer.Exit(make(new, tuple(names or ()), as_json))


def _copy(
    place: Annotated[str, typer.Argument(metavar="DIR|ID", help="An agent's folder, or a task's id")],
    folder: Annotated[Path, typer.Argument(metavar="NEWDIR", help="The new agent's folder")],
    names: Annotated[
        list[str] | None,
        typer.Option("--for", metavar="AGENT", help="claude, codex, copilot, cursor or gemini; repeatable. Left out: all"),
    ] = None,
    as_json: Json = False,
) -> None:
    """The same task in another folder, with a whole budget and no calls. Nothing is judged."""
    with loading():
        from assistant.cli.paths import plain_path
        from assistant.cli.tasks_answers import copy

    copy(place, plain_path(folder), tuple(names or ()), as_json)


def _show(place: Place = ".", as_json: Json = False) -> None:
    """What a task asks, what is left of its budget, and what came of every call."""
    with loading():
        from assistant.cli.tasks_answers import show

    show(place, as_json)


def _trajectory(
    place: Place = ".",
    form: Annotated[
        Form,
        typer.Option("--as", help="calls: all that is kept; messages: one chat with tool calls; steps: a line for each reward"),
    ] = Form.CALLS,
    least_reward: Annotated[
        int | None, typer.Option("--least-reward", help="Of messages and steps: only those with this reward or more", show_default=False)
    ] = None,
) -> None:
    """What an agent asked in a task, as JSON lines: the task, then each call with the edit, the answer and the reward."""
    with loading():
        from assistant.cli.tasks_answers import print_trajectory

    print_trajectory(place, form.value, least_reward)


def _learn(
    place: Annotated[
        str,
        typer.Argument(
            metavar="[DIR|ID|FILE]",
            help="An agent's folder, a task's id, or a file that task trajectory wrote anywhere; left out: this folder",
            show_default=False,
        ),
    ] = ".",
    device: opt.Device = None,
    as_json: Json = False,
) -> None:
    """Judge the edits of a trajectory again, here, and remember the techniques in them. Nothing that it says of an edit is believed."""
    with loading():
        from assistant.cli.tasks_answers import learn

    raise typer.Exit(learn(place, device, as_json))


def _make(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where they are written; what was begun there with the same seed goes on")],
    operators: Annotated[int, typer.Option("--operators", min=0, help="PyTorch tasks, composed of one to five functions")] = 0,
    kernels: Annotated[int, typer.Option("--kernels", min=0, help="CUDA programs, made worse by inverse techniques")] = 0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed draws the same tasks")] = 0,
    benchmark: Annotated[
        Path | None,
        typer.Option("--unlike", metavar="DIR", help="A benchmark's tasks (KernelBench): no operator that is near to one of them is kept"),
    ] = None,
    is_checked: Annotated[
        bool,
        typer.Option("--check/--no-check", help="Run each: does it repeat itself, do its inputs count, is its known solution right?"),
    ] = True,
    device: Annotated[str, typer.Option("--device", help="cpu: each is run at small sizes; gpu:N: kernels at real sizes")] = "cpu",
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Checks at once; what is kept does not depend on it")] = 1,
    cluster: opt.Cluster = None,
    target: Annotated[str, typer.Option("--target", help="GPU that least times are estimated for")] = "h200",
) -> None:
    """Draw tasks for training and evaluation into DIR, with their provenance, splits, and what was left out and why."""
    with loading():
        from assistant.agents.synthesis import Asked
        from assistant.cli.paths import plain_path
        from assistant.cli.tasks_making import make_tasks

    place = None if benchmark is None else plain_path(benchmark)
    asked = Asked(plain_path(folder), operators, kernels, seed, target, place, jobs)
    raise typer.Exit(make_tasks(asked, device if is_checked else None, cluster))


def _judge_many(
    place: Annotated[str, typer.Argument(metavar="DIR|ID", help="An agent's folder, or a task's id")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Edited texts of the task's file; equal ones are judged once")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the answers: rows.jsonl")] = Path("kernelopt-judged"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on in --out; what has an answer is not judged again")] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Files at a time, without --cluster")] = 1,
    cluster: opt.Cluster = None,
    as_json: Json = False,
) -> None:
    """Judge many edits of one task, each as its agent's judge would. No call is kept and no budget used."""
    with loading():
        from assistant.cli.judging_many import JudgingRun, judge_many
        from assistant.cli.paths import plain_path

    run = JudgingRun(place, tuple(map(plain_path, files)), plain_path(out), resume, jobs, cluster, as_json)
    raise typer.Exit(judge_many(run))


def _restore(folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="An agent's folder")] = Path()) -> None:
    """Put the protected files of an agent's folder back."""
    with loading():
        from assistant.cli.tasks_answers import put_back

    put_back(folder)


def _judge(folder: TaskFolder = None, cluster: opt.Cluster = None, as_json: Json = False) -> None:
    """In a task's folder: is the edited file right, is it faster, and what reward has it?"""
    with loading():
        from assistant.cli.tasks_answers import judge

    raise typer.Exit(judge(folder, as_json, cluster))


def _ask_memory(
    topic: Annotated[
        str,
        typer.Argument(metavar="[TECHNIQUE]", help="A technique whose page is wanted; left out: what is known", show_default=False),
    ] = "",
    folder: TaskFolder = None,
    as_json: Json = False,
) -> None:
    """In a task's folder: which techniques were tried on kernels like this one, and what came of them."""
    with loading():
        from assistant.cli.tasks_answers import ask_memory

    raise typer.Exit(ask_memory(folder, topic, as_json))
