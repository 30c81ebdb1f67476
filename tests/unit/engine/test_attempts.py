"""A candidate as memory keeps it: by the costliest instance before, the first after, and who wrote it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from assistant.engine.job import Job
from assistant.engine.search.attempts import attempt_record, side_effects
from assistant.engine.search.trials import SearchNode, Trial
from assistant.measure.targets import target
from assistant.model.attempt import OtherFile
from assistant.model.build import KernelResources
from assistant.model.experience import SideEffect, TechniqueUse
from assistant.model.plan import Origin, Rewrite, Step
from assistant.model.profile import Signature
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label, Outcome
from assistant.ports.lab import LabDescription

LAB = SimpleNamespace(describe=lambda: LabDescription("cpu", "a device", "h200", "", ()))
JOB = cast("Job", SimpleNamespace(id="J1", lab=LAB, target=target("h200"), architecture=SimpleNamespace(name="sm_90")))
STEP = Step("tile", "k(float *)", 3, "because", (), "KO101", (), 1.0, planner="llm:small", why="1 of 1: it is the only one")


def version(*others: Source) -> SearchNode:
    source = Source(Path("/w/a.cu"), "before")
    return SearchNode(cast("Any", SimpleNamespace(version=SimpleNamespace(source=source, sources=(source, *others)))))


def test_a_candidate_is_kept_with_what_it_was_and_what_it_came_to(assessed: Any, verdict: Any, predicted: Any) -> None:
    cheap, dear = (replace(assessed(count=count)[0], signature=Signature(name, ())) for count, name in ((1.0, "l2"), (2.0, "dram")))
    rewrite = Rewrite("tile", "k(float *)", 3, (), "Use a tile.", (Label.READABILITY,), (), ("n is even",), Origin("small", ("M1",)))
    run = Path("/w/run.cu")
    others = (Source(run, "block 64"),)
    trial = Trial("C1", STEP, rewrite, "after", others, TrialOutcome.KEPT, "better", 1.5, verdict(), predicted(1.5), (), (cheap, dear))
    trial = replace(trial, settings=(("TILE", 32),))
    kept = attempt_record(JOB, Path("/w"), version(Source(run, "block 32")), (cheap, dear), trial, 7)
    assert (kept.before.label, kept.after and kept.after.label) == ("dram", "l2")
    assert (kept.id, kept.job, kept.path, kept.kernel, kept.created_ms) == ("C1", "J1", Path("/w/a.cu"), "k(float *)", 7)
    assert (kept.technique, kept.finding, kept.line, kept.planner) == ("tile", "KO101", 3, "llm:small")
    assert (kept.parent_text, kept.text, kept.verification, kept.comparison) == ("before", "after", Outcome.PASS, predicted(1.5))
    assert kept.also == (OtherFile(run, "block 32", "block 64", False),)
    built_on = attempt_record(JOB, Path("/w"), replace(version(others[0]), others=others), (cheap, dear), trial, 7)
    assert built_on.also == (OtherFile(run, "block 64", "block 64", True),)
    assert (kept.model, kept.calls, kept.labels, kept.assumptions) == ("small", ("M1",), (Label.READABILITY,), ("n is even",))
    assert (kept.lab, kept.device, kept.target, kept.architecture) == ("cpu", "a device", "h200", "sm_90")
    assert (kept.use, kept.why) == (TechniqueUse("tile", (("TILE", 32),)), "1 of 1: it is the only one")
    assert kept.traits is not None and dict(kept.traits.scale)["threads"] == dear.launches[0].profile.config.thread_count
    bare = attempt_record(JOB, Path("/w"), version(), (dear,), Trial("C2", STEP, replace(rewrite, origin=None)), 7)
    assert (bare.after, bare.verification, bare.model, bare.calls) == (None, None, None, ())


def test_what_an_edit_costs_besides_time_are_the_compilers_numbers_that_changed(assessed: Any) -> None:
    def compiled(registers: int, shared_bytes: int, stored_bytes: int, loaded_bytes: int) -> Any:
        resources = KernelResources("k", "_Zk", "sm_90", registers, stored_bytes, loaded_bytes, 0, shared_bytes, 0)
        return replace(assessed()[0], resources=resources)

    before = compiled(32, 0, 8, 16)
    assert side_effects(before, (before,)) == ()
    assert side_effects(before, (compiled(40, 4096, 0, 0),)) == (
        SideEffect("registers_per_thread", 32, 40, "registers"),
        SideEffect("static_shared_bytes", 0, 4096, "bytes"),
        SideEffect("spill_bytes", 24, 0, "bytes"),
    )
    assert side_effects(before, (compiled(32, 0, 16, 8),)) == (), "as much as before"
    assert side_effects(before, ()) == side_effects(replace(before, resources=None), (before,)) == ()
