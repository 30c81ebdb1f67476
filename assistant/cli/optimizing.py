"""``kernelopt optimize``: its options, who is asked on the way, and the search that comes of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import operators as ops
from assistant.cli import options as opt
from assistant.cli.loading import loading
from assistant.cli.shown import Shown
from assistant.engine import Accept, AllowOption, ChoiceRule, OptimizeOptions
from assistant.model.completion import Caps

if TYPE_CHECKING:
    from assistant.cli.jobs import OnWriting
    from assistant.model.events import Event

__all__ = ["add_optimize_command"]

_AcceptOption = Annotated[Accept, typer.Option(help="Decide here (ask), take what is proved (best, best-predicted), or later (none)")]
_PlannerOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="expert, llm (a language model), agent (one that works with tools), or auto (expert and llm, where a model is set); "
        "default: as the settings say",
    ),
]
_ChoiceOption = Annotated[
    ChoiceRule | None,
    typer.Option(help="How what memory knows orders what is tried: by a seeded draw, by what is expected, or not at all (none)"),
]
_SeedOption = Annotated[int | None, typer.Option(help="Of the draws of --choice thompson; same seed, text and memory: the same search")]
_UsdOption = Annotated[float | None, typer.Option(min=0, help="Dollars for language models at most, by your price table")]
_TokensOption = Annotated[int | None, typer.Option(min=0, help="Tokens to and from language models at most")]
_GpuOption = Annotated[float | None, typer.Option("--budget-gpu-s", min=0, help="Seconds that a GPU is held at most")]
_WallOption = Annotated[
    float | None, typer.Option("--budget-s", min=0, help="Seconds that edits are searched for at most; what was kept by then is confirmed")
]
_RoundsOption = Annotated[int | None, typer.Option(min=1, help="Rounds of the search over all kernels at most")]


def add_optimize_command(app: typer.Typer) -> None:
    app.command("optimize")(_optimize)


def _optimize(
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
    region: opt.Region = None,
    accept: _AcceptOption = Accept.ASK,
    planner: _PlannerOption = None,
    choice: _ChoiceOption = None,
    seed: _SeedOption = None,
    rounds: Annotated[int, typer.Option(min=1, max=16, help="Techniques chained on one kernel at most")] = 4,
    budget_usd: _UsdOption = None,
    budget_tokens: _TokensOption = None,
    budget_gpu_s: _GpuOption = None,
    budget_s: _WallOption = None,
    budget_rounds: _RoundsOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the last interrupted search on FILE stopped")] = False,
    allow_host_code: Annotated[bool, typer.Option("--allow-host-code", help="Let candidates edit host code without being asked")] = False,
    allow: Annotated[
        str,
        typer.Option(
            metavar="DECISIONS",
            help="What the search may go on from without being asked, separated by commas; a person decides at its end: alignment, arch, "
            "assumption, fast-math, library, nan, order, precision; host as --allow-host-code; none: not what search.allow says either",
        ),
    ] = "",
    operator: ops.Operator = None,
    baselines: ops.Baselines = None,
    sizes: ops.Sizes = None,
    is_verbose: opt.Verbose = False,
    as_json: opt.Json = False,
) -> None:
    """Plan edits from the profile, prove each one, and offer what survives as a diff.

    Of a PyTorch task the search goes on from the candidate that is named behind it (a .cu file), else from a first kernel.
    """
    asked = ops.operator_options(operator, baselines=baselines, sizes=sizes)
    task = ops.operator_request(file, asked, kernel, device, timeout, target)
    request = task or opt.job_request(
        file, sources, kernel, device, target, cflags, context.obj, timeout, build=build, run=run, region=region
    )
    if task is not None:
        request = replace(task, other=ops.own_candidate(sources))
    with loading():
        from assistant.cli.compose import open_session
        from assistant.cli.consent import ask_model
        from assistant.cli.decisions import AskOnTerminal, HostCodeOnTerminal
        from assistant.cli.jobs import show_search
        from assistant.engine.search import SearchCallbacks

    allowed = AllowOption.read(allow)
    ask = AskOnTerminal.if_terminal(as_json)
    chosen = Accept.NONE if accept is Accept.ASK and ask is None else accept
    host_code = None if ask is None else HostCodeOnTerminal.in_workspace_of(request.file)
    options = OptimizeOptions(
        max_rounds=rounds,
        planner=planner,
        choice=None if choice is None else choice.value,
        choice_seed=seed,
        may_edit_host_code=allow_host_code or allowed.is_host_code,
        allowed=allowed.decisions,
        is_allowed_by_settings=not allowed.is_none,
        is_resumed=resume,
        caps=Caps(budget_usd, budget_tokens, budget_gpu_s, budget_rounds, budget_s),
    )
    model = ask_model(is_terminal=ask is not None)

    def events(writing: OnWriting) -> AsyncIterator[Event]:
        session, called = open_session(), SearchCallbacks(host_code, model, writing)
        if task is None:
            return session.optimize(request, options, chosen, ask, called)
        return session.optimize_operator(request, asked, options, chosen, ask, called)

    raise typer.Exit(show_search(events, Shown(as_json, is_verbose, is_asked=chosen is Accept.ASK)))
