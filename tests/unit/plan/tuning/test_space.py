"""Settings of an edit's numbers: what is tried, what the text then says, what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.build.architectures import architecture
from assistant.model.build import KernelResources
from assistant.model.plan import Tunable
from assistant.plan.tuning.pruning import why_not
from assistant.plan.tuning.space import Setting, TuningProblem, TuningSpace, space_of, written

TEXT = """\
#define TILE 32  // TILE 64 would do, too
constexpr int ROWS = 4;
__global__ void k(float *out)
{
    // #define TILE 1
    __shared__ float tile[TILE][ROWS];
}
"""
TILE, ROWS = Tunable("TILE", (16, 32, 64)), Tunable("ROWS", (2, 4))
RESOURCES = KernelResources("k", "_Z1k", "sm_90", 64, 0, 0, 0, 4096, 0)
SM_90 = architecture("sm_90")


def space(*tunables: Tunable, text: str = TEXT, constraints: tuple[str, ...] = ()) -> TuningSpace:
    found = space_of((text,), tunables, constraints)
    assert isinstance(found, TuningSpace), found
    return found


def test_every_combination_that_meets_the_constraints_is_a_setting() -> None:
    found = space(TILE, ROWS, constraints=("TILE * ROWS <= 128", "TILE / ROWS > 4 && TILE != 16"))
    assert found.start == Setting((("TILE", 32), ("ROWS", 4)))
    assert [setting.words for setting in found.settings] == ["TILE = 32, ROWS = 2", "TILE = 32, ROWS = 4", "TILE = 64, ROWS = 2"]


def test_of_very_many_combinations_some_of_all_values_are_looked_at() -> None:
    names, values = ("AA", "BB", "CC", "DD"), tuple(range(1, 17))
    text = "".join(f"#define {name} 1\n" for name in names)
    found = space(*(Tunable(name, values) for name in names), text=text, constraints=("AA == 2",))
    assert len(found.settings) > 200
    assert all({dict(setting.values)[name] for setting in found.settings} == set(values) for name in names[1:])


def test_a_setting_is_written_in_as_plain_constants_and_comments_stay() -> None:
    (text,) = written((TEXT,), Setting((("TILE", 64), ("ROWS", 2))))
    assert text == TEXT.replace("TILE 32 ", "TILE 64 ").replace("ROWS = 4", "ROWS = 2")


@pytest.mark.parametrize(
    "text",
    [
        "#define TILE (32)\n",
        "#define TILE 32u  // of a row\n",
        "constexpr int DEPTH = 2, TILE = 32;",
        "constexpr int TILE = 32, HALF = TILE / 2, DEPTH = 2;",
        "static const unsigned TILE{32}, DEPTH = 2;",
        "constexpr int DEPTH{3}, TILE{32u};",
        "enum { DEPTH = 2, TILE = 32, LAST };",
        "enum Sizes : int { TILE = 32 };",
        "const int\n    TILE = 32;",
    ],
)
def test_a_number_is_found_however_it_is_declared(text: str) -> None:
    found = space(TILE, text=text)
    assert found.start == Setting((("TILE", 32),))
    wanted = (
        text.replace("TILE = 32", "TILE = 64").replace("TILE{32", "TILE{64").replace("TILE 32", "TILE 64").replace("TILE (32", "TILE (64")
    )
    assert written((text,), Setting((("TILE", 64),))) == (wanted,)


def test_a_number_may_be_defined_in_any_file_of_the_edit() -> None:
    files = ("// TILE\n", TEXT)
    found = space_of(files, (TILE,), ())
    assert isinstance(found, TuningSpace)
    assert written(files, found.settings[-1]) == (files[0], TEXT.replace("TILE 32", "TILE 64"))
    assert isinstance(space_of((TEXT, TEXT), (TILE,), ()), TuningProblem)


@pytest.mark.parametrize(
    ("text", "tunable", "reason"),
    [
        (TEXT, Tunable("DEPTH", (1, 2)), "DEPTH is defined 0 times"),
        (TEXT.replace("constexpr int ROWS = 4;", "#define TILE 16"), TILE, "TILE is defined 2 times"),
        (TEXT.replace("TILE 32", "TILE (2 * 16)"), TILE, "TILE is defined 0 times"),
        (TEXT, Tunable("TILE|.*", (1,)), "defined 0 times"),
        ("void f(const int a, int TILE = 32, int c);", TILE, "TILE is defined 0 times"),
        ("const int N = TILE * 2;\nint TILE = 32;", TILE, "TILE is defined 0 times"),
        ("constexpr int TILE = 32 * 2;", TILE, "TILE is defined 0 times"),
    ],
)
def test_what_is_not_defined_once_as_a_number_is_not_tuned(text: str, tunable: Tunable, reason: str) -> None:
    problem = space_of((text,), (tunable,), ())
    assert isinstance(problem, TuningProblem)
    assert reason in problem.reason


@pytest.mark.parametrize(
    "line", ["TILE < OTHER", "__import__('os')", "TILE.real > 1", "TILE ** 9 > 1", "TILE <", "(lambda: 1)()", "TILE < 1.5"]
)
def test_a_constraint_is_arithmetic_alone(line: str) -> None:
    assert isinstance(space_of((TEXT,), (TILE,), (line,)), TuningProblem)


def test_a_constraint_that_divides_by_zero_is_a_problem() -> None:
    assert isinstance(space_of((TEXT,), (TILE,), ("TILE / (TILE - 16) > 1",)), TuningProblem)


@pytest.mark.parametrize(
    ("changes", "threads", "reason"),
    [
        ({}, 256, None),
        ({}, None, None),
        ({"static_shared_bytes": 50_000}, None, "50,000 bytes of static shared memory"),
        ({}, 2048, "2,048 threads"),
        ({"registers_per_thread": 160}, 512, "160 registers for each of 512 threads"),
    ],
)
def test_what_cannot_run_is_left_out(changes: dict[str, int], threads: int | None, reason: str | None) -> None:
    assert SM_90 is not None
    found = why_not(replace(RESOURCES, **changes), SM_90, threads)
    assert found is None if reason is None else reason in str(found)
