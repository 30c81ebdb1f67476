"""The parts of the training recipe that need no PyTorch: its action language, its rewards, what its figures are made of."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

RECIPE = Path(__file__).parents[3] / "examples" / "training" / "trl"
Part = Callable[[str], ModuleType]

JUDGE = """\
import json, pathlib, sys
log = pathlib.Path(__file__).with_name("log")
words = sys.argv[1:]
with log.open("a") as file: file.write(" ".join(words[:2]) + "\\n")
if words[0] == "task":
    folder = pathlib.Path(words[3])
    folder.mkdir(exist_ok=True)
    print(json.dumps({"task": "T1", "source": "window-3-affine.cu"}))
elif "tile[128 + 3]" in pathlib.Path("window-3-affine.cu").read_text():
    print(json.dumps({"answer": "PASS", "reward": 1, "components": {"reasons": [], "predicted": {"ratio": 1.1}}}))
elif "tile[128 + 2]" in pathlib.Path("window-3-affine.cu").read_text():
    print(json.dumps({"answer": "FAIL", "reward": -1, "components": {"reasons": [{"code": "wrong_value"}], "predicted": None}}))
else:
    print(json.dumps({"answer": "the machine failed", "reward": None}))
"""


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Part:
    monkeypatch.setattr(sys, "path", [str(RECIPE), *sys.path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "kernelopt_trl"]:
        monkeypatch.delitem(sys.modules, name)
    return lambda name: importlib.import_module(f"kernelopt_trl.{name}")


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "judge.py").write_text(JUDGE)
    return (sys.executable, str(tmp_path / "judge.py"))


def test_every_answer_of_the_language_is_read_as_what_it_says(part: Part) -> None:
    language = part("language")
    for answer in language.ANSWERS:
        edit = language.parsed(answer)
        words = [edit.technique, edit.number, "stop"]
        assert " ".join(str(word) for word in words if word is not None) == answer


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "window-tile 3",
        "window-tile stop",
        "window-tile 5 stop",
        "window-tile 3 stop stop",
        "scalar-replacement 2 stop",
        "scalar-replacement",
        "3 stop",
        "stop window-tile 3",
        "windowtile 3 stop",
        "float sum",
    ],
)
def test_what_is_not_of_the_language_is_wrong_without_a_judge(answer: str, part: Part, tmp_path: Path) -> None:
    task = part("toy").TASKS["window-3-affine"]
    assert part("language").parsed(answer) is None
    assert part("rewards").Rewards(tmp_path / "kept").of([(task, answer)]) == [-1.0]


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("map-affine", {"coalescing-interchange stop"}),
        ("map-rational", {"coalescing-interchange stop", "float-literals stop"}),
        ("window-3-affine", {"loop-unrolling stop", "window-tile 2 stop", "window-tile 3 stop", "window-tile 4 stop"}),
        ("sums-6-cubic", {"loop-unrolling stop", "scalar-replacement stop"}),
    ],
)
def test_an_edit_changes_what_the_kernel_has_and_nothing_else(name: str, answers: set[str], part: Part) -> None:
    assert set(part("language").possible_edits(part("toy").TASKS[name].kernel)) == answers


def test_unrolling_writes_two_turns(part: Part) -> None:
    language, toy = part("language"), part("toy")
    text = language.edited(toy.TASKS["sums-6-cubic"].kernel, language.Edit("loop-unrolling"))
    assert "for (int c = 0; c < 6; c += 2) { y[i] += value(x[i * 6 + c]); y[i] += value(x[i * 6 + (c + 1)]); }" in text


def test_held_out_tasks_have_sizes_and_expressions_that_are_trained_on_but_not_together(part: Part) -> None:
    toy = part("toy")
    assert not {task.kernel for task in toy.HELD_OUT} & {task.kernel for task in toy.TRAINING}
    for place in (1, 2):
        trained = {tuple(task.name.rsplit("-", 1))[place - 1] for task in toy.TRAINING}
        assert {tuple(task.name.rsplit("-", 1))[place - 1] for task in toy.HELD_OUT} <= trained
    assert len(toy.HELD_OUT) == 7 and len(toy.TRAINING) == 14


def test_an_edit_is_judged_once_for_all_that_keep_their_rewards_in_a_file(part: Part, tmp_path: Path, command: tuple[str, ...]) -> None:
    task = part("toy").TASKS["window-3-affine"]
    rewards, judge = part("rewards"), part("judge")
    answers = [(task, "window-tile 3 stop"), (task, "window-tile 2 stop"), (task, "window-tile 3 stop"), (task, "tile")]
    one = rewards.Rewards(tmp_path / "kept", judge.Judge(command))
    assert one.of(answers) == [1, -1, 1, -1.0] and one.of(answers) == [1, -1, 1, -1.0]
    assert (tmp_path / "log").read_text().splitlines() == ["task new", "task copy", "judge --json", "judge --json"]
    assert rewards.Rewards(tmp_path / "kept").of(answers) == [1, -1, 1, -1.0]
    row = json.loads((tmp_path / "kept").read_text().splitlines()[1])
    assert (row["task"], row["reasons"], row["predicted_ratio"]) == ("window-3-affine", ["wrong_value"], None)


def test_without_a_judge_an_edit_that_is_not_kept_is_named(part: Part, tmp_path: Path) -> None:
    rewards = part("rewards")
    with pytest.raises(rewards.NotJudgedError, match=r"1 edits are not in .*, the first of window-3-affine"):
        rewards.Rewards(tmp_path / "kept").of([(part("toy").TASKS["window-3-affine"], "window-tile 3 stop")])


def test_a_failure_of_the_machine_is_no_sample_and_is_judged_again(part: Part, tmp_path: Path, command: tuple[str, ...]) -> None:
    task = part("toy").TASKS["window-3-affine"]
    rewards = part("rewards").Rewards(tmp_path / "kept", part("judge").Judge(command))
    assert rewards.of([(task, "window-tile 4 stop")]) == rewards.of([(task, "window-tile 4 stop")]) == [None]
    assert (tmp_path / "log").read_text().count("judge") == 2 and not (tmp_path / "kept").exists()


def test_rewards_of_other_settings_of_the_judge_are_not_used(part: Part, tmp_path: Path, command: tuple[str, ...]) -> None:
    task, rewards = part("toy").TASKS["window-3-affine"], part("rewards")
    rewards.Rewards(tmp_path / "kept", part("judge").Judge(command)).of([(task, "window-tile 3 stop")])
    with pytest.raises(rewards.NotJudgedError):
        rewards.Rewards(tmp_path / "kept", options=("--device", "gpu:0")).of([(task, "window-tile 3 stop")])


def test_the_rewards_that_come_along_are_of_every_edit_as_it_is_written_now(part: Part) -> None:
    answers = part("language").ANSWERS
    known = part("rewards").Rewards(RECIPE / "kernelopt_trl" / "judged.jsonl")
    found = {
        task.name: dict(zip(answers, known.of([(task, each) for each in answers]), strict=True)) for task in part("toy").TASKS.values()
    }
    for name, by_answer in found.items():
        assert by_answer["stop"] == 0, name
        assert set(by_answer.values()) <= {-1, 0, 1} and 1 in by_answer.values(), f"{name} has a right edit, and nothing was measured"
    assert found["window-3-affine"]["window-tile 3 stop"] == 1 and found["window-3-affine"]["window-tile 2 stop"] == -1


def test_the_control_gives_the_same_rewards_to_other_answers(part: Part) -> None:
    shuffled = part("rewards").shuffled
    rewards = [float(value % 3 - 1) for value in range(64)]
    first = shuffled(rewards, seed=1, step=5)
    assert sorted(first) == sorted(rewards) and first != rewards
    assert first == shuffled(rewards, seed=1, step=5), "a resumed run has the same"
    assert first not in (shuffled(rewards, seed=1, step=6), shuffled(rewards, seed=2, step=5))


def test_an_interval_over_seeds_is_students(part: Part) -> None:
    found = part("statistics").interval([1.0, 2.0, 3.0])
    assert (found.mean, found.count) == (2.0, 3)
    assert found.high - found.mean == pytest.approx(4.303 / 3**0.5) and found.mean - found.low == pytest.approx(4.303 / 3**0.5)


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * 11])
def test_there_is_no_interval_of_too_few_or_too_many(values: list[float], part: Part) -> None:
    with pytest.raises(ValueError, match="an interval needs 2 to 10 values"):
        part("statistics").interval(values)


def test_differences_are_taken_seed_by_seed(part: Part) -> None:
    statistics = part("statistics")
    rewards = {1: (0.1, 0.1, *[0.5] * 16, 0.6, 0.7), 2: (0.2, 0.2, *[0.5] * 16, 0.8, 1.0)}
    learned = [statistics.Run(seed, False, rewards[seed], 0.0, 1.0) for seed in (1, 2)]
    control = [statistics.Run(seed, True, (0.0,) * 20, 0.0, 0.25) for seed in (2, 1)]
    found = statistics.report([*control, *learned])
    assert found["seeds"] == [1, 2]
    assert found["last tenth"]["mean"] == pytest.approx(0.775)
    assert found["last tenth - first tenth"] == pytest.approx({"mean": 0.625, "low": -0.328, "high": 1.578, "count": 2}, abs=1e-3)
    assert found["last tenth - control's"]["mean"] == pytest.approx(0.775)
    assert found["held out, after - control's"] == {"mean": 0.75, "low": 0.75, "high": 0.75, "count": 2}


def test_arms_of_different_seeds_are_not_compared(part: Part) -> None:
    statistics = part("statistics")
    runs = [statistics.Run(1, False, (0.0,), 0.0, 0.0), statistics.Run(2, True, (0.0,), 0.0, 0.0)]
    with pytest.raises(ValueError, match="not of the same seeds"):
        statistics.report(runs)


def test_a_broken_off_run_goes_on_from_the_last_checkpoint_that_was_written_to_its_end(part: Part, tmp_path: Path) -> None:
    last_whole = part("checkpoints").last_whole
    assert last_whole(tmp_path) is None
    for name, text in (("checkpoint-20", "{}"), ("checkpoint-100", "{}"), ("checkpoint-120", "{"), ("checkpoint-140", None)):
        (tmp_path / name).mkdir()
        if text is not None:
            (tmp_path / name / "trainer_state.json").write_text(text)
    assert last_whole(tmp_path) == str(tmp_path / "checkpoint-100")
