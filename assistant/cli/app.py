"""The commands that look at code. Each reads its options, asks the session, and shows what comes back.

Everything after ``--`` belongs to the user's program; ``__main__`` cuts it off and hands it over as the context object. What runs a
command is imported by ``_run`` when one runs (see ``loading``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import operators as ops
from assistant.cli import options as opt
from assistant.cli.agents import add_agent_commands
from assistant.cli.bench import add_bench_command
from assistant.cli.cluster import add_cluster_commands
from assistant.cli.ledger import add_ledger_commands
from assistant.cli.loading import loading
from assistant.cli.machine import add_machine_commands
from assistant.cli.memory import add_memory_commands
from assistant.cli.optimizing import add_optimize_command
from assistant.cli.paths import plain_path, text_path
from assistant.cli.programs import add_program_command
from assistant.cli.servers import Servers, add_server_commands
from assistant.cli.shown import Shown
from assistant.cli.study import add_study_commands
from assistant.cli.tasks import TaskFolder, add_task_commands, is_task_folder
from assistant.cli.training import add_train_commands

if TYPE_CHECKING:
    from assistant.engine import Session
    from assistant.model.events import Event

__all__ = ["build_app"]


def build_app(servers: Servers, asked: str | None = None) -> typer.Typer:
    """The typer application with every command; with that one alone where ``asked`` names one: reading the options of all takes 0.2 s."""
    app = typer.Typer(
        name="kernelopt",
        help="Is my CUDA kernel right, what limits it, and which edit makes it faster? With evidence for every number.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for command in (_inspect, _check, _profile, _compare):
        app.command(command.__name__.lstrip("_"))(command)
    add_optimize_command(app)
    add_bench_command(app)
    add_study_commands(app)
    add_program_command(app)
    add_ledger_commands(app)
    add_memory_commands(app)
    add_machine_commands(app)
    add_server_commands(app, servers)
    add_agent_commands(app)
    add_task_commands(app)
    add_cluster_commands(app)
    add_train_commands(app)
    if asked is not None:
        _keep_alone(app, asked)
    return app


def _keep_alone(app: typer.Typer, name: str) -> None:
    """Leave all of them where there is none of that name: who errs is told which there are."""
    commands = [command for command in app.registered_commands if command.name == name]
    groups = [group for group in app.registered_groups if group.name == name]
    if commands or groups:
        app.registered_commands, app.registered_groups = commands, groups


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import PackageNotFoundError, version  # other commands start sooner without it

        try:
            typer.echo(f"kernelopt {version('kernelopt')}")
        except PackageNotFoundError:
            typer.echo("kernelopt, run from its source tree and not installed")
        raise typer.Exit


def _options(
    _: Annotated[bool, typer.Option("--version", help="Show the version and exit", is_eager=True, callback=_print_version)] = False,
) -> None:
    """What holds for every command."""


def _inspect(
    context: typer.Context,
    file: opt.File,
    sources: opt.Sources = None,
    kernel: opt.Kernel = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    is_verbose: opt.Verbose = False,
    as_json: opt.Json = False,
) -> None:
    """Kernels, parameters, launch sites, registers, occupancy and flags. Runs nothing."""
    request = opt.job_request(file, sources, kernel, "auto", target, cflags, context.obj)
    raise typer.Exit(_run(lambda session: session.inspect(request), Shown(as_json, is_verbose)))


def _check(
    context: typer.Context,
    file: opt.File,
    sources: opt.Sources = None,
    kernel: opt.Kernel = None,
    device: opt.Device = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    timeout: opt.Timeout = None,
    build: opt.Build = None,
    run: opt.Run = None,
    operator: ops.Operator = None,
    only_custom: ops.OnlyCustom = False,
    backward: ops.Backward = False,
    baselines: ops.Baselines = None,
    sizes: ops.Sizes = None,
    is_verbose: opt.Verbose = False,
    as_json: opt.Json = False,
) -> None:
    """Races, out-of-bounds and uninitialised reads, barrier divergence, run-to-run differences of FILE as it stands.

    Of a PyTorch task: check TASK.py CANDIDATE.py, whether the candidate does what the task's Model does.
    """
    options = ops.operator_options(operator, only_custom=only_custom, is_backward=backward, baselines=baselines, sizes=sizes)
    task = ops.operator_request(file, options, kernel, device, timeout)
    if task is not None:
        (candidate,) = sources if sources and len(sources) == 1 else (None,)
        if candidate is None:
            raise typer.BadParameter("name one candidate after the task: check TASK.py CANDIDATE.py", param_hint="SOURCE")
        raise typer.Exit(
            _run(lambda session: session.judge_operator("check", task, plain_path(candidate), options), Shown(as_json, is_verbose))
        )
    request = opt.job_request(file, sources, kernel, device, target, cflags, context.obj, timeout, build=build, run=run)
    raise typer.Exit(_run(lambda session: session.check(request), Shown(as_json, is_verbose)))


def _profile(
    context: typer.Context,
    file: opt.MaybeFile = None,
    sources: opt.Sources = None,
    kernel: opt.Kernel = None,
    device: opt.Device = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    timeout: opt.Timeout = None,
    build: opt.Build = None,
    run: opt.Run = None,
    launches: opt.Launches = "64",
    count: opt.Count = "sampled",
    html: opt.Html = None,
    report: opt.Report = None,
    operator: ops.Operator = None,
    baselines: ops.Baselines = None,
    sizes: ops.Sizes = None,
    folder: TaskFolder = None,
    is_verbose: opt.Verbose = False,
    as_json: opt.Json = False,
) -> None:
    """Memory counters per kernel and source line, findings, and the predicted bottleneck.

    Of a PyTorch task: the functions that its model calls, what each takes at least, and which of them one kernel could do together.
    In the folder of a task for coding agents FILE is left out: its edited file is profiled, and the call is kept.
    """
    named = file or report
    if named is None and (folder is not None or is_task_folder()):
        with loading():
            from assistant.cli.tasks_answers import profile

        raise typer.Exit(profile(folder, kernel, as_json))
    if named is None:
        raise typer.BadParameter("name a source, or a report with --report", param_hint="FILE")
    asked = ops.operator_options(operator, baselines=baselines, sizes=sizes)
    task = None if report else ops.operator_request(named, asked, kernel, device, timeout, target)
    if task is not None:
        raise typer.Exit(_run(lambda session: session.profile_operator(task, asked, is_timed=True), Shown(as_json, is_verbose)))
    request = opt.job_request(
        *(named, sources, kernel, device, target, cflags, context.obj, timeout, launches, count), build=build, run=run, report=report
    )
    if html is None:
        raise typer.Exit(_run(lambda session: session.profile(request), Shown(as_json, is_verbose)))
    with loading():
        from assistant.cli.html_report import page_path, with_page

    page = page_path(html)
    raise typer.Exit(_run(lambda session: with_page(lambda keep: session.profile(request, keep), page), Shown(as_json, is_verbose)))


def _compare(
    context: typer.Context,
    a: opt.FileA,
    b: opt.FileB,
    sources: opt.SourcesOfBoth = None,
    kernel: opt.Kernel = None,
    device: opt.Device = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    timeout: opt.Timeout = None,
    build: opt.Build = None,
    run: opt.Run = None,
    region: opt.Region = None,
    is_everywhere: opt.Everywhere = False,
    is_strict: opt.Strict = False,
    operator: ops.Operator = None,
    only_custom: ops.OnlyCustom = False,
    backward: ops.Backward = False,
    baselines: ops.Baselines = None,
    sizes: ops.Sizes = None,
    is_verbose: opt.Verbose = False,
    as_json: opt.Json = False,
) -> None:
    """Is B right, and is it faster than A? Judges people's own edits exactly as it judges its own.

    A may be a PyTorch task (Model, get_inputs) and B a candidate for it (ModelNew, or a .cu with an operator table).
    """
    options = ops.operator_options(
        operator, only_custom=only_custom, is_backward=backward, is_strict=is_strict, baselines=baselines, sizes=sizes
    )
    task = ops.operator_request(a, options, kernel, device, timeout)
    if task is not None:
        raise typer.Exit(_run(lambda session: session.judge_operator("compare", task, plain_path(b), options), Shown(as_json, is_verbose)))
    request = opt.job_request(a, sources, kernel, device, target, cflags, context.obj, timeout, build=build, run=run, region=region)
    asked = replace(request, is_everywhere=True if is_everywhere else None)
    raise typer.Exit(_run(lambda session: session.compare(asked, text_path(b, kernel), is_strict), Shown(as_json, is_verbose)))


def _run(job: Callable[[Session], AsyncIterator[Event]], shown: Shown) -> int:
    """Show one job's events; its exit code."""
    with loading():
        from assistant.cli.compose import open_session
        from assistant.cli.jobs import show_events

    return show_events(lambda: job(open_session()), shown)
