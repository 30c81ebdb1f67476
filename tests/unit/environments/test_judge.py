"""The judge as the packages reach it: a process that prints JSON, here a script in its place."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
MODULES = sorted((*EXAMPLES.glob("environments/*/kernelopt_*/*.py"), *EXAMPLES.glob("training/*/kernelopt_*/*.py")))
FILES = [path for path in MODULES if path.name == "judge.py"]
SCRIPT = """\
import json, pathlib, sys
log = pathlib.Path(__file__).with_name("log")
words = sys.argv[1:]
with log.open("a") as file: file.write(json.dumps([pathlib.Path.cwd().name, *words]) + "\\n")
if words[:2] == ["task", "new"]:
    if "broken" in words[2]: sys.exit("error: broken.cu makes no task")
    print(json.dumps({"task": "T1", "source": "a.cu"}))
elif words[:2] == ["task", "copy"]:
    pathlib.Path(words[3]).mkdir()
    print(json.dumps({"task": "T2", "source": "a.cu"}))
elif words[:2] == ["task", "trajectory"]:
    print('{"event": "task"}\\n{"event": "call"}')
elif words[0] == "profile":
    sys.exit("error: the task's wall time is used up")
else:
    print(json.dumps({"answer": "FAIL", "reward": -1}))
    sys.exit(1)
"""


@pytest.fixture
def judge_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernelopt_packages_judge", FILES[0])
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "judge.py").write_text(SCRIPT)
    return (sys.executable, str(tmp_path / "judge.py"))


def asked(tmp_path: Path) -> list[list[str]]:
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def test_all_packages_hold_the_same_file() -> None:
    assert len(FILES) == 3 and len({path.read_bytes() for path in FILES}) == 1


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_package_imports_kernelopt(path: Path) -> None:
    text = path.read_text()
    assert not any(f"{word} {name}" in text for word in ("import", "from") for name in ("assistant", "kernelopt ", "kernelopt."))


async def test_a_file_is_judged_once_for_all_its_folders(tmp_path: Path, judge_module: ModuleType, command: tuple[str, ...]) -> None:
    judge = judge_module.Judge(command, ("--device", "cpu"))
    made = await asyncio.gather(*(judge.task(Path("a.cu"), tmp_path / name, 8, 60.0) for name in ("one", "two")))
    assert [folder.source for folder in made] == [tmp_path / "one/a.cu", tmp_path / "two/a.cu"]
    new, *copies = asked(tmp_path)
    assert new[1:4] == ["task", "new", "a.cu"]
    assert " ".join(new[5:]) == "--judge-calls 8 --wall 60.0 --device cpu --for claude --json"
    assert [words[1:4] for words in copies] == [["task", "copy", "T1"]] * 2


async def test_answers_come_whatever_the_exit_code(tmp_path: Path, judge_module: ModuleType, command: tuple[str, ...]) -> None:
    folder = judge_module.Folder(tmp_path, tmp_path / "a.cu")
    judge = judge_module.Judge(command)
    assert await judge.ask(folder, "judge") == {"answer": "FAIL", "reward": -1}
    assert await judge.ask(folder, "profile", "k") == {"answer": "error: the task's wall time is used up"}
    assert await judge.ask(folder, "ask_memory", "--home") == {"answer": "--home is no name"}
    assert (await judge.trajectory(folder))[1] == {"event": "call"}
    assert asked(tmp_path)[:2] == [[tmp_path.name, "judge", "--json"], [tmp_path.name, "profile", "--kernel", "k", "--json"]]


async def test_a_file_that_makes_no_task_says_why_and_is_tried_again(
    tmp_path: Path, judge_module: ModuleType, command: tuple[str, ...]
) -> None:
    judge = judge_module.Judge(command)
    for _ in range(2):
        with pytest.raises(judge_module.JudgeError, match=r"broken\.cu makes no task"):
            await judge.task(Path("broken.cu"), tmp_path / "one", 8, 60.0)
    assert len(asked(tmp_path)) == 2
