"""Folders of PyTorch tasks, and of candidates for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bench.operators.answers import read_answers, trials_of
from assistant.bench.operators.folder import chosen_problems, read_folder
from assistant.errors import UsageError
from tests.unit.operators.test_texts import TASK

SUITE = Path(__file__).parents[3] / "data" / "kernelbench"
GIVEN = SUITE.parent / "kernelbench_answers"


def folder(root: Path, *names: str, text: str = TASK) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_levels_and_numbers_are_in_order_and_helpers_are_left_out() -> None:
    found = read_folder(SUITE)
    titles = [problem.title for problem in found.problems]
    assert titles[:3] == ["level1/1_Square_matrix_product", "level1/2_Softmax", "level1/3_LayerNorm"]
    assert titles.index("level1/10_LeakyReLU") == 3 and titles[-1] == "level3/1_TwoLayers" and len(titles) == 8
    assert found.left_out == (Path("level1/shared.py"),)


@pytest.mark.parametrize("level", ["level1", "level_1", "Level1"])
def test_levels_are_spelled_in_some_ways(tmp_path: Path, level: str) -> None:
    (problem,) = read_folder(folder(tmp_path, f"{level}/7_Gelu.py")).problems
    assert (problem.level, problem.number) == (1, 7)


def test_a_plain_folder_holds_tasks_by_their_texts(tmp_path: Path) -> None:
    folder(tmp_path, "softmax.py", "2_norm.py")
    folder(tmp_path, "helpers.py", text="x = 1\n")
    found = read_folder(tmp_path)
    assert [problem.title for problem in found.problems] == ["2_norm", "softmax"] and found.left_out == (Path("helpers.py"),)


def test_a_numbered_file_of_a_level_counts_though_it_is_no_task(tmp_path: Path) -> None:
    (problem,) = read_folder(folder(tmp_path, "level1/1_Broken.py", text="def (:\n")).problems
    assert problem.title == "level1/1_Broken"


@pytest.mark.parametrize("text", [None, "x = 1\n"])
def test_a_folder_without_tasks_is_refused_with_what_one_is(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        folder(tmp_path, "plain.py", text=text)
    with pytest.raises(UsageError, match="there is no PyTorch task in") as raised:
        read_folder(tmp_path)
    assert raised.value.remedy is not None and "docs/how-to/operators.md" in raised.value.remedy
    with pytest.raises(UsageError, match="is not a folder"):
        read_folder(tmp_path / "nowhere")


def test_tasks_are_chosen_by_title_name_or_level() -> None:
    problems = read_folder(SUITE).problems
    assert [each.title for each in chosen_problems(problems, ["level3", "2_Softmax"], None)] == ["level1/2_Softmax", "level3/1_TwoLayers"]
    assert len(chosen_problems(problems, [], 2)) == 2
    with pytest.raises(UsageError, match="there is no task called 9_Nothing"):
        chosen_problems(problems, ["9_Nothing"], None)


def test_answers_are_found_in_levels_beside_and_by_the_name_of_a_generated_one() -> None:
    problems = read_folder(SUITE).problems
    answers = read_answers(GIVEN, problems)
    found = {problem.title: [path.name for path in answers.of(problem)] for problem in problems if answers.of(problem)}
    assert found["level1/1_Square_matrix_product"] == ["level_1_problem_1_sample_0_kernel.cu"]
    assert found["level3/1_TwoLayers"] == ["level_3_problem_1_sample_0_kernel.py"] and len(found) == 3
    assert [path.name for path in answers.unmatched] == ["level_9_problem_1_sample_0_kernel.py"]


def test_of_several_samples_the_first_is_judged_and_a_name_that_two_levels_have_is_nobodys(tmp_path: Path) -> None:
    problems = read_folder(folder(tmp_path / "suite", "level1/1_Gelu.py", "level2/1_Gelu.py")).problems
    given = folder(tmp_path / "given", "1_Gelu.py", "level_2_problem_1_sample_3_kernel.py", "level_2_problem_1_sample_1_kernel.py")
    answers = read_answers(given, problems)
    assert [[path.name for path in answers.of(problem)] for problem in problems] == [[], ["level_2_problem_1_sample_1_kernel.py"]]
    assert [path.name for path in answers.unmatched] == ["1_Gelu.py"]
    with pytest.raises(UsageError, match=r"--answers .* is not a folder"):
        read_answers(tmp_path / "nowhere", problems)


def test_a_changed_text_of_task_or_answer_is_another_trial(tmp_path: Path) -> None:
    suite, given = folder(tmp_path / "suite", "level1/1_Gelu.py"), folder(tmp_path / "given", "1_Gelu.cu")
    problems = read_folder(suite).problems

    def digest() -> str:
        (trial,) = trials_of(suite, problems, read_answers(given, problems))
        return trial.sources_sha256

    first = digest()
    assert digest() == first
    folder(given, "1_Gelu.cu", text="// another\n")
    second = digest()
    folder(suite, "level1/1_Gelu.py", text=f"{TASK}\n")
    assert len({first, second, digest()}) == 3
