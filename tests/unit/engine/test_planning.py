"""Who plans a search: a model only where somebody agreed to it, else the expert, and the job says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.config import LoadedSettings, Settings, load_settings
from assistant.engine.events_as_json import event_json
from assistant.engine.job import Job
from assistant.engine.request import JobRequest, OptimizeOptions
from assistant.engine.search.planning import AskModel, ChosenPlanner, ModelNotice, PlannerChoice, asked_once, model_notice
from assistant.engine.search.resume import NOTHING_EARLIER, EarlierSearch
from assistant.engine.search.shape import SearchShape, shape_for_rules
from assistant.errors import UsageError
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.attempt import JobRow
from assistant.model.completion import Caps, ModelRole, SentCall, Spending
from assistant.plan.providers import PriceTable
from assistant.plan.providers.manual import ManualProvider
from assistant.ports.lab import RunLimits
from assistant.ports.store import Store
from tests.unit.engine.fakes import FakeModels, FakePlanner
from tests.unit.engine.heard import Heard


@dataclass
class Person:
    """Answers once and for all."""

    refusal: str | None = None
    seen: list[ModelNotice] = field(default_factory=list[ModelNotice])

    async def __call__(self, notice: ModelNotice) -> str | None:
        self.seen.append(notice)
        return self.refusal


Choose = Callable[..., PlannerChoice]
MODEL = {"provider.kind": "openai", "provider.model": "small"}


@pytest.fixture
def choice(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> Choose:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))

    def make(
        options: OptimizeOptions, ask: AskModel | None = None, models: FakeModels | None = None, loaded: LoadedSettings | None = None
    ) -> PlannerChoice:
        """A choice between the expert and a model for one job."""
        limits, request = architecture("sm_90"), JobRequest(tmp_path / "k.cu", tmp_path)
        assert limits is not None
        job = Job("J1", request, CpuLab(tmp_path, tmp_path, "h200"), target("h200"), limits, tmp_path, (), RunLimits(), Heard())
        settings = loaded or load_settings(None, MODEL)
        fake = models or FakeModels()
        return PlannerChoice(lambda: fake, FakePlanner("expert"), job, options, settings, store, NOTHING_EARLIER, ask)

    return make


async def made(choice: PlannerChoice) -> tuple[ChosenPlanner, tuple[events.Event, ...]]:
    """What was chosen, and what was reported."""
    heard = choice.job.listener
    assert isinstance(heard, Heard)
    async with choice.made(kernel_count=1) as chosen:
        return chosen, heard.taken()


def messages_of(heard: tuple[events.Event, ...]) -> str:
    return "\n".join(event.message for event in heard if isinstance(event, events.Message))


@pytest.mark.asyncio
@pytest.mark.parametrize(("named", "planner"), [("llm", "llm"), ("auto", "auto")])
async def test_who_says_yes_gets_the_model(choice: Choose, named: str, planner: str) -> None:
    person = Person()
    chosen, heard = await made(choice(OptimizeOptions(planner=named), person))
    assert chosen.planner.name == planner
    assert chosen.shape != SearchShape()
    assert chosen.shape.asks_models
    assert len(person.seen) == 1
    assert [type(event).__name__ for event in heard] == ["StageStarted", "BudgetSpent"]


@pytest.mark.asyncio
async def test_who_says_no_gets_the_expert(choice: Choose) -> None:
    chosen, heard = await made(choice(OptimizeOptions(planner="llm"), Person("not today")))
    assert (chosen.planner.name, chosen.shape) == ("expert", shape_for_rules(Settings()))
    assert "the expert planner plans: not today" in messages_of(heard)
    assert not [event for event in heard if isinstance(event, events.BudgetSpent)]


@pytest.mark.asyncio
@pytest.mark.parametrize("refusal", [None, "not today"])
async def test_one_answer_holds_for_all_that_a_job_asks(choice: Choose, refusal: str | None) -> None:
    person = Person(refusal)
    asked = choice(OptimizeOptions(planner="llm"), asked_once(person))
    (first, _), (later, _) = await made(asked), await made(asked)
    assert first.planner.name == later.planner.name == ("llm" if refusal is None else "expert")
    assert len(person.seen) == 1


@pytest.mark.asyncio
async def test_where_no_person_can_be_asked_only_a_name_is_a_yes(choice: Choose) -> None:
    by_name, of_name = await made(choice(OptimizeOptions(planner="llm")))
    by_default, of_default = await made(choice(OptimizeOptions(planner="auto")))
    assert "is sent the source" in messages_of(of_name)
    assert "no person agreed" in messages_of(of_default)
    assert (by_name.planner.name, by_default.planner.name) == ("llm", "expert")


@pytest.mark.asyncio
async def test_a_setting_that_came_with_the_workspace_is_no_consent(choice: Choose, tmp_path: Path) -> None:
    loaded = load_settings(None, {**MODEL, "planner": "llm"})
    foreign = replace(loaded, origins={**loaded.origins, "planner": str(tmp_path / "kernelopt.toml")})
    own, _ = await made(choice(OptimizeOptions(), loaded=loaded))
    theirs, _ = await made(choice(OptimizeOptions(), loaded=foreign))
    assert (own.planner.name, theirs.planner.name) == ("llm", "expert")


@pytest.mark.asyncio
@pytest.mark.parametrize(("answer", "planner"), [(True, "auto"), (False, "expert")])
async def test_what_was_answered_before_the_job_holds(choice: Choose, answer: bool, planner: str) -> None:
    chosen, _ = await made(choice(OptimizeOptions(planner="auto", may_call_models=answer)))
    assert chosen.planner.name == planner


@pytest.mark.asyncio
async def test_without_a_provider_no_person_is_asked(choice: Choose) -> None:
    person = Person()
    chosen, heard = await made(choice(OptimizeOptions(planner="auto"), person, loaded=load_settings(None)))
    assert heard == ()
    assert (chosen.planner.name, person.seen) == ("expert", [])


@pytest.mark.asyncio
async def test_settings_that_name_no_provider_end_a_search_by_name_alone(choice: Choose) -> None:
    models = FakeModels(problem=UsageError("no model is named", "set provider.model"))
    _, of_default = await made(choice(OptimizeOptions(planner="auto"), Person(), models))
    assert "the expert planner plans: no model is named" in messages_of(of_default)
    with pytest.raises(UsageError, match=r"^no model is named"):
        await made(choice(OptimizeOptions(planner="llm"), Person(), models))


@pytest.mark.asyncio
async def test_a_notice_says_what_is_sent_where_and_what_it_may_cost(choice: Choose) -> None:
    person = Person()
    await made(choice(OptimizeOptions(planner="llm", max_rounds=2, max_candidates=10, caps=Caps(token_count=5_000)), person))
    notice = person.seen[0]
    assert notice.endpoints == ("http://localhost/v1",)
    assert notice.estimate.call_count == 2 * Settings().search.beam + 10 + 1
    what, where, cost = notice.lines[1], notice.lines[0], notice.lines[2]
    assert "the source of the kernel" in what
    assert "small at http://localhost/v1" in where
    assert "about 15 calls" in cost
    assert "capped at 5,000 tokens" in cost and "no money is spent" not in cost


async def test_what_a_call_may_cost_at_most_is_by_kernels_rounds_and_candidates(choice: Choose) -> None:
    person = Person()
    asked = choice(
        OptimizeOptions(planner="llm", max_rounds=3, max_candidates=7), person, loaded=load_settings(None, {**MODEL, "search.beam": 4})
    )
    async with asked.made(kernel_count=2):
        pass
    assert person.seen[0].estimate.call_count == 2 * 3 * 4 + 2 * 7 + 2


@pytest.mark.parametrize(
    ("given", "caps"),
    [
        (Caps(), Caps(None, 9_000, 5.0, 6, 7.0)),
        (Caps(token_count=0, gpu_s=0.0, round_count=0, wall_s=0.0), Caps(None, 0, 0.0, 0, 0.0)),
        (Caps(token_count=1, gpu_s=2.0, round_count=3, wall_s=4.0), Caps(None, 1, 2.0, 3, 4.0)),
    ],
)
async def test_caps_of_the_command_line_stand_above_those_of_the_settings(choice: Choose, given: Caps, caps: Caps) -> None:
    loaded = load_settings(None, {**MODEL, "budget.tokens": 9_000, "budget.gpu_s": 5.0, "budget.rounds": 6, "budget.wall_s": 7.0})
    chosen, _ = await made(choice(OptimizeOptions(planner="llm", caps=given), Person(), loaded=loaded))
    assert chosen.accounts.caps == caps


@pytest.mark.parametrize(
    ("may_call", "is_asked", "planner"),
    [(None, True, "llm"), (True, True, "llm"), (False, True, "expert"), (True, False, "llm"), (False, False, "expert")],
)
async def test_an_answer_before_the_job_is_not_asked_for_again(choice: Choose, may_call: bool | None, is_asked: bool, planner: str) -> None:
    person = Person()
    chosen, heard = await made(choice(OptimizeOptions(planner="llm", may_call_models=may_call), person if is_asked else None))
    assert chosen.planner.name == planner and len(person.seen) == (may_call is None)
    said = [event.message for event in heard if isinstance(event, events.Message)]
    assert any("is sent the source" in words for words in said) is (planner == "llm" and not is_asked)
    remedies = [event.remedy for event in heard if isinstance(event, events.Message) and "the expert planner plans" in event.message]
    assert remedies == ([None] if planner == "expert" else [])


async def test_without_models_the_expert_plans_and_nothing_is_said(choice: Choose) -> None:
    for options, load in ((OptimizeOptions(planner="expert"), True), (OptimizeOptions(planner="llm"), False)):
        asked = choice(options, Person())
        chosen, heard = await made(asked if load else replace(asked, load_models=None))
        assert (chosen.planner.name, heard) == ("expert", ())


async def test_a_person_who_is_the_model_is_told_which_file_waits(choice: Choose, tmp_path: Path) -> None:
    asked = choice(OptimizeOptions(planner="llm"), Person())
    asked._waits(tmp_path / "a.md", tmp_path / "b.md")  # pyright: ignore[reportPrivateUsage]
    (waiting,) = asked.job.listener.taken()  # type: ignore[attr-defined]
    assert (waiting.message, waiting.remedy) == (
        f"waits for an answer to {tmp_path / 'a.md'}",
        f"paste the answer into {tmp_path / 'b.md'}",
    )


@pytest.mark.asyncio
async def test_a_money_cap_that_cannot_be_kept_is_reported(choice: Choose) -> None:
    chosen, heard = await made(choice(OptimizeOptions(planner="llm", caps=Caps(money_usd=1.0)), Person()))
    assert "no money cap can be promised; capped at 200,000 tokens instead" in messages_of(heard)
    assert chosen.accounts.caps == Caps(token_count=200_000)


@pytest.mark.asyncio
async def test_the_provider_is_closed_with_the_job(choice: Choose) -> None:
    models = FakeModels()
    await made(choice(OptimizeOptions(planner="llm"), Person(), models))
    assert models.opened.is_closed


def test_a_person_as_the_model_is_shown_that_nothing_is_spent(tmp_path: Path) -> None:
    provider = ManualProvider(tmp_path / "prompts", PriceTable(()))
    served = tuple(map(provider.served, ModelRole))
    options = OptimizeOptions(planner="llm", caps=Caps(money_usd=0.5))
    notice = model_notice(served, tmp_path / "k.cu", options, load_settings(None, {"provider.kind": "manual"}).settings, 1, True)
    where, _, cost = notice.lines
    assert where.endswith(f"whichever you paste the prompts of {tmp_path / 'prompts'} into")
    assert "no money is spent by kernelopt; capped at $0.50" in cost
    assert notice.caps == options.caps


@pytest.mark.asyncio
async def test_a_search_that_goes_on_counts_what_the_one_before_spent(choice: Choose, store: Store, tmp_path: Path) -> None:
    store.start_job(JobRow("J0", "optimize", tmp_path / "k.cu", tmp_path, "host 1 test", 1, 1, None, None, False))
    spent = events.BudgetSpent("J0", Spending(0.0, round_count=2, gpu_s=3.0), Caps())
    store.add_event("J0", event_json(spent))
    store.add_sent_call(SentCall("M1", "J0", 5, Spending(0.25, 900, 100, 1)))
    goes_on = replace(choice(OptimizeOptions(planner="llm"), Person()), earlier=EarlierSearch("J0", (spent,), (), frozenset()))
    chosen, _ = await made(goes_on)
    assert chosen.accounts.spent == Spending(0.25, 900, 100, 1, gpu_s=3.0, round_count=2)
