"""``kernelopt study``: freezes, says what a study costs, carries it out, prints what it found."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from assistant.cli import exit_codes
from assistant.cli.compose import open_session
from assistant.cli.consent import ask_model
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.models import ModelParts
from assistant.cli.render import TextRenderer
from assistant.cli.status import StatusLine
from assistant.config.remedies import how_to_set_a_model
from assistant.engine import Session, event_json
from assistant.engine.search import ModelNotice
from assistant.errors import UsageError
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.completion import Caps, ServedModel
from assistant.plan.budget import keepable
from assistant.record import Record
from assistant.serialize import dumps
from assistant.study import (
    Control,
    PlanVariation,
    ProgramOptions,
    StudyDesign,
    StudyFolder,
    StudyParts,
    StudyRun,
    cost_lines,
    frozen_nodes,
    read_signals,
    results_of,
    results_page,
    results_svg,
)

__all__ = ["Asked", "freeze", "intervene", "report"]

_INTERRUPTED = "interrupted; every answer so far is kept: kernelopt study intervene --yes goes on"
_NONE = "none"


class Asked(Record):
    """What the options say."""

    signals: str | None
    plan: str
    controls: str
    draw_count: int
    order_count: int
    seed: int
    other_model: str | None


def freeze(folder: Path, runs: tuple[str, ...], program: ProgramOptions) -> int:
    """Freeze the runs' nodes; exit code 0."""
    session = open_session()
    try:
        nodes = tuple(node for run in runs for node in frozen_nodes(session.store, run, program))
    finally:
        session.close()
    added = StudyFolder(folder).add_nodes(nodes)
    for node in nodes:
        _print(f"{node.id}  {node.title}, {len(node.tried)} tried before")
    _print(f"{added} new frozen nodes in {folder}")
    return exit_codes.DONE


def intervene(folder: Path, asked: Asked, caps: Caps, is_agreed: bool, is_json: bool) -> int:
    """The exit code: 0 where nothing is left to be asked, and after an estimate."""
    return run_async(lambda: _intervene(folder, asked, caps, is_agreed, is_json), _INTERRUPTED)


async def _intervene(path: Path, asked: Asked, caps: Caps, is_agreed: bool, is_json: bool) -> int:
    session = open_session()
    try:
        return await _carried_out(session, StudyFolder(path), asked, caps, is_agreed, is_json)
    finally:
        session.close()


async def _carried_out(session: Session, folder: StudyFolder, asked: Asked, caps: Caps, is_agreed: bool, is_json: bool) -> int:
    settings = session.settings(folder.nodes()[0].path).settings
    if settings.provider.kind == _NONE:
        raise UsageError("a study asks a language model, and none is set", how_to_set_a_model())
    given = Caps(
        money_usd=settings.budget.money_usd if caps.money_usd is None else caps.money_usd,
        token_count=settings.budget.tokens if caps.token_count is None else caps.token_count,
    )
    models = ModelParts(session.planner, session.catalogue)
    parts = StudyParts(session, models, lambda place: replace(models, prompts=place), open_store, given)
    design = _design(asked, folder)
    run = StudyRun.opened(parts, folder, design)
    served = await run.served()
    model = served[1].model or served[1].provider
    if asked.signals is not None:
        names = (model,) if asked.other_model is None else (model, asked.other_model)
        run = StudyRun.opened(parts, folder, _with_model(design, names, settings.provider.temperature, settings.provider.seed))
    elif design.models[:1] != (model,):
        raise UsageError(f"the study in {folder.path} asks {design.models[0]}, and {model} is set", "set provider.model as it was")
    _show_cost(run, served)
    if not is_agreed:
        _print("nothing was asked yet: --yes asks")
        return exit_codes.DONE
    await _consented(run, served, given)
    return await _followed(run, is_json)


def _design(asked: Asked, folder: StudyFolder) -> StudyDesign:
    """What the options say, or the design of the study that goes on."""
    if asked.signals is None:
        known = folder.design()
        if known is None:
            raise UsageError(f"no study was begun in {folder.path}", "name its signals: --signals profile,compile,verdicts")
        return known
    if asked.plan not in tuple(PlanVariation):
        raise UsageError(f"--plan takes vary, on or off, not {asked.plan!r}")
    names = [word for part in asked.controls.split(",") if (word := part.strip()) not in ("", _NONE)]
    unknown = next((name for name in names if name not in tuple(Control)), None)
    if unknown is not None:
        raise UsageError(f"--controls does not know {unknown!r}", f"give none, or any of {', '.join(Control)}")
    return StudyDesign(
        signals=read_signals(asked.signals),
        plan=PlanVariation(asked.plan),
        controls=tuple(control for control in Control if control in names),
        draw_count=asked.draw_count,
        seed=asked.seed,
        order_count=asked.order_count,
    )


def _with_model(design: StudyDesign, models: tuple[str, ...], temperature: float | None, seed: int | None) -> StudyDesign:
    return replace(design, models=models, temperature=temperature, model_seed=seed)


def _show_cost(run: StudyRun, served: tuple[ServedModel, ...]) -> None:
    for line in cost_lines(run.cost(served), len(run.nodes), len(run.arms)):
        _print(line)


async def _consented(run: StudyRun, served: tuple[ServedModel, ...], caps: Caps) -> None:
    """``--yes`` is consent, but for an endpoint that was refused for good. Raises UsageError there."""
    node = run.nodes[0]
    notice = ModelNotice(node.workspace, node.path, served, run.cost(served).spending, keepable(caps, served), is_named=True)
    refused = await ask_model(is_terminal=False)(notice)
    if refused is not None:
        raise UsageError(f"no model may be asked: {refused}", "kernelopt trust shows what was refused")


async def _followed(run: StudyRun, is_json: bool) -> int:
    renderer = TextRenderer(console(is_error=True), False)
    with StatusLine(console(is_error=True)) as status:

        def follow(event: events.Event) -> None:
            status.hide()
            if is_json:
                sys.stdout.write(event_json(event) + "\n")
                sys.stdout.flush()
            elif isinstance(event, events.Message | events.Diagnostics):
                renderer.render(event)
            status.follow(event)

        code = await run.carried_out(follow)
    left = sum(len(work.draws) for _, work in run.work())
    _print("every draw is answered and judged: kernelopt study report" if not left else f"{left:,} draws are left", is_error=is_json)
    return code


def report(folder: Path, is_json: bool) -> int:
    """Print the results, and keep them in the folder; exit code 0."""
    study = StudyFolder(folder)
    design = study.design()
    if design is None:
        raise UsageError(f"no study was begun in {folder}", "kernelopt study intervene begins one")
    results = results_of(design, study.nodes(), study.answers(), study.verdicts())
    page, data = results_page(results), dumps(results)
    study.write("report.md", page)
    study.write("report.json", data + "\n")
    study.write("report.svg", results_svg(results))
    sys.stdout.write(data + "\n" if is_json else page)
    return exit_codes.DONE


def _print(text: str, is_error: bool = False) -> None:
    console(is_error=is_error).print(text, markup=False, soft_wrap=True, highlight=False)
