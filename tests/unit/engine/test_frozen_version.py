"""A version that a search came to, whose edits are judged long after it."""

from __future__ import annotations

from pathlib import Path

from assistant.engine.channel import UNHEARD
from assistant.engine.job import Job
from assistant.engine.running import Ending
from assistant.engine.search import FrozenVersion
from assistant.engine.source_version import SourceVersion
from assistant.model.plan import AttemptSummary, Rewrite, Step, TrialOutcome
from assistant.model.source import TextEdit
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.ports.planner import PlanRequest
from tests.unit.engine.commands import Commands
from tests.unit.engine.test_commands import CHEAPER, DEARER, WRONG, A
from tests.unit.engine.test_learned_edits import KERNEL

STEP = Step("add-up", "scale", 1, "because", (), "KO101", (), 1.0)


async def outcomes(folder: Path, *texts: str) -> list[tuple[TrialOutcome, str]]:
    """How each text in the place of the kernel fares."""
    on, found = Commands(folder), list[tuple[TrialOutcome, str]]()

    async def body(job: Job, version: SourceVersion) -> Ending:
        (kernel,) = version.kernels
        opened = await FrozenVersion.opened(job, version, kernel.key, Catalogue(()))
        assert not isinstance(opened, LabFailure), opened
        for text in texts:
            edit = TextEdit(kernel.span, text)
            tried = await opened.judged(STEP, Rewrite("add-up", kernel.qualified_name, 1, (edit,), "Do it.", ()))
            found.append((tried.outcome, tried.reason))
        return Ending(0, "done")

    await on.session.run("optimize", on.request(A), body, UNHEARD)
    return found


async def test_each_edit_is_judged_on_its_own_against_the_version(tmp_path: Path) -> None:
    cheaper, dearer, wrong = (KERNEL[text] for text in (CHEAPER, DEARER, WRONG))
    found = await outcomes(tmp_path, cheaper, wrong, dearer, cheaper)
    kept, failed, not_better = TrialOutcome.KEPT, TrialOutcome.FAILED, TrialOutcome.NOT_BETTER
    assert [outcome for outcome, _ in found] == [kept, failed, not_better, kept], "the same again is no repetition"
    assert found[0] == found[3]


async def test_an_edit_of_host_code_is_not_carried_out(tmp_path: Path) -> None:
    ((outcome, reason),) = await outcomes(tmp_path, KERNEL[CHEAPER] + '\nstatic int first = system("date");\n')
    assert outcome is TrialOutcome.NOT_ALLOWED and reason


async def test_a_planner_is_asked_about_its_kernel_and_told_what_was_tried(tmp_path: Path) -> None:
    on, asked = Commands(tmp_path), list[PlanRequest]()
    tried = AttemptSummary("add-up", 1, "Do it.", TrialOutcome.NOT_BETTER, "slow", 0.9)

    async def body(job: Job, version: SourceVersion) -> Ending:
        (kernel,) = version.kernels
        opened = await FrozenVersion.opened(job, version, kernel.key, Catalogue(()))
        assert not isinstance(opened, LabFailure), opened
        asked.append(opened.request(on.store, tmp_path, (tried,)))
        missing = await FrozenVersion.opened(job, version, "gone(float *)", Catalogue(()))
        assert isinstance(missing, LabFailure) and "does not launch gone(float *)" in missing.message
        return Ending(0, "done")

    await on.session.run("optimize", on.request(A), body, UNHEARD)
    (request,) = asked
    assert (request.kernel.name, [profile.kernel for profile in request.profiles]) == ("scale", ["scale(float*, const float*, int)"])
    assert request.tried == (tried,)
