"""How a technique's edits are written where they paid: learnt from what they add, kept where it predicts kernels held out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assistant import serialize
from assistant.cuda.edit_likeness import added
from assistant.memory import ForgetScope, MemoryStore
from assistant.memory.experience_rows import Known
from assistant.memory.playbooks import LIKE, WORD, Lesson
from assistant.memory.writing import Edit, edit_of, learnt_writing
from assistant.model.experience import Origin, TechniqueUse
from tests.contracts.stored import SIGNATURE
from tests.unit.memory.experiences import PREDICTED, TECHNIQUE, query, row, state

COUNT = 18
BEFORE = "__global__ void rows(float *x)\n{\n    x[threadIdx.x] *= 2.0f;\n}\n"
SECRET = "__secret_project_name"
FAST = BEFORE.replace("    x[", "    float s = __shfl_down_sync(~0u, x[threadIdx.x], 16);\n    // float4 would do\n    x[")
SLOW = BEFORE.replace("    x[", f"    __shared__ float {SECRET}[32];\n    {SECRET}[threadIdx.x] = 0;\n    x[")
PLAIN = BEFORE.replace("2.0f", "2.0f + 0")


def trial(number: int, ratio: float | None, **changes: Any) -> Known:
    return row(ratio, number, **({"kernel_id": f"{number:016x}"} | changes))


def lesson(texts: tuple[str, str], ratios: tuple[float | None, float | None], kept: Lesson | None = None, **changes: Any) -> Lesson | None:
    """Of trials whose edits are the one text on odd numbers and the other on even ones."""
    rows = [trial(number, ratios[number % 2], **changes) for number in range(COUNT)]
    edits = {each.id: edit_of(BEFORE, texts[number % 2]) for number, each in enumerate(rows)}
    return learnt_writing(TECHNIQUE, rows, edits.get, kept)


def one(*given: Any, **changes: Any) -> Lesson:
    found = lesson(*given, **changes)
    assert found is not None
    return found


def test_the_word_that_edits_have_that_paid_is_learnt_with_an_edit_to_go_by() -> None:
    found = one((SLOW, FAST), (0.9, 3.0))
    assert found.condition.field == WORD
    assert found.statements[0].startswith(("written with __shfl_down_sync: ", "written without __shared__: "))
    assert found.statements[0].endswith("7 of 7 edits gained, median 3.00x")
    assert found.statements[1].endswith("0 of 6 edits gained, median 0.90x")
    assert found.score.is_better and not {*found.rows} & {*found.held_out}
    assert int(found.example.removeprefix("C")) % 2 == 1, "an edit that paid"
    assert found.text.startswith("## How it was written\n") and f"- an edit to go by: {found.example}" in found.text


def test_edits_without_words_of_their_own_are_told_apart_by_their_code() -> None:
    other = BEFORE.replace("    x[", "    for (int i = 0; i < 4; i++) { x[i] = x[i + 1] - x[i]; }\n    x[")
    found = one((other, PLAIN), (0.9, 3.0))
    assert found.condition.field == LIKE and found.score.is_better
    assert found.statements[0].startswith(f"written much as {found.condition.value} is: 7 of 7 edits gained")


def test_names_of_a_persons_own_and_comments_are_in_no_lesson() -> None:
    assert edit_of(BEFORE, SLOW).words == {"__shared__"}
    assert edit_of(BEFORE, FAST).words == {"__shfl_down_sync"}, "what a comment says is not written"
    assert SECRET not in one((SLOW, FAST), (0.9, 3.0)).text


def test_wrong_edits_are_counted() -> None:
    assert one((SLOW, FAST), (None, 3.0)).statements[1].endswith("median 1.00x, 6 did not build or answered wrongly")


def test_edits_that_are_all_alike_and_gains_that_do_not_follow_them_teach_nothing() -> None:
    assert lesson((FAST, FAST), (0.9, 3.0)) is None
    assert not one((SLOW, FAST), (1.5, 1.5)).score.is_better


def test_what_does_not_hold_on_kernels_held_out_is_not_kept() -> None:
    held_out = {*one((SLOW, FAST), (0.9, 3.0)).held_out}
    rows = [trial(number, 3.0 if number % 2 else 0.9) for number in range(COUNT)]
    edits = {each.id: edit_of(BEFORE, FAST if (number % 2 == 1) is (each.id not in held_out) else SLOW) for number, each in enumerate(rows)}
    found = learnt_writing(TECHNIQUE, rows, edits.get, None)
    assert found is not None and not found.score.is_better


def test_a_later_lesson_must_beat_the_one_that_is_kept() -> None:
    kept = one((SLOW, FAST), (0.9, 3.0))
    assert not one((SLOW, FAST), (0.9, 3.0), kept).score.is_better
    assert one((FAST, SLOW), (0.9, 3.0), kept).score.is_better


def test_imports_few_kernels_and_texts_that_are_gone_teach_nothing() -> None:
    assert lesson((SLOW, FAST), (0.9, 3.0), origin=Origin.IMPORT, workspace=None) is None
    rows = [trial(number, 3.0 if number % 2 else 0.9) for number in range(COUNT)]
    assert learnt_writing(TECHNIQUE, rows, lambda _: None, None) is None
    few: dict[str, Edit] = {each.id: edit_of(BEFORE, FAST if number % 2 else SLOW) for number, each in enumerate(rows[:5])}
    assert learnt_writing(TECHNIQUE, rows, few.get, None) is None


def test_many_trials_on_one_kernel_are_one_kernel() -> None:
    rows = [trial(number, 3.0 if number % 2 else 0.9, kernel_id="0" * 16) for number in range(COUNT)]
    edits = {each.id: edit_of(BEFORE, FAST if number % 2 else SLOW) for number, each in enumerate(rows)}
    assert learnt_writing(TECHNIQUE, rows, edits.get, None) is None


def test_a_lesson_of_an_older_memory_is_read() -> None:
    text = serialize.dumps(one((SLOW, FAST), (0.9, 3.0)))
    example = serialize.loads(Lesson, text).example
    older = text.replace(f',"example":"{example}"', "").replace(f', "example": "{example}"', "")
    assert older != text and serialize.loads(Lesson, older).example == ""


def filled(store: MemoryStore, given: Any) -> None:
    for number in range(COUNT):
        ratio, text = (3.0, FAST) if number % 2 else (0.9, SLOW)
        store.add_attempt(
            given.attempt(
                f"C{number:02}",
                kernel=f"kernel{number}(float *)",
                technique=TECHNIQUE,
                use=TechniqueUse(TECHNIQUE),
                before=SIGNATURE,
                comparison=replace(given.attempt().comparison, ratio=ratio, low=ratio, high=ratio),
                parent_text=f"// {number}\n{BEFORE}",
                text=f"// {number}\n{text}",
            )
        )


def test_it_is_kept_beside_the_lesson_on_kernels_told_to_planners_reverted_and_forgotten(store: MemoryStore, given: Any) -> None:
    filled(store, given)
    (found,) = store.learned.learn(2_000)
    assert found.is_kept and found.lesson.condition.is_of_edits
    assert "+    float s = __shfl_down_sync" in store.learned.edit_to_go_by(found.lesson)
    asked = query(state=state(signature=SIGNATURE, device=PREDICTED), now_ms=2_000)
    (evidence,) = store.recall(asked)
    assert f"learned from trials: {found.lesson.statements[0]}" in evidence.sentences
    assert [each.statements for each in store.what_was_learned().lessons] == [found.lesson.statements]
    assert store.learned.learn(3_000) == ()
    assert store.learned.revert_lesson(TECHNIQUE) is not None
    assert not store.learned.learn(4_000)[0].is_kept, "what a person reverted does not come back as it was"
    store.forget(ForgetScope(workspace=given.workspace), 5_000)
    assert store.learned.lessons() == ()


@pytest.mark.parametrize("text", [FAST, SLOW, PLAIN])
def test_what_an_edit_adds_is_compared_as_before(text: str) -> None:
    assert edit_of(BEFORE, text).runs == added(BEFORE, text) != frozenset()
