"""The package as people and the VS Code extension install it: everything is inside, and works far from this tree."""

from __future__ import annotations

import runpy
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tests.e2e.cli.harness import DEADLINE_S, EXAMPLES, ROOT, Cli, Ended
from tests.thorough import first_of
from tests.unit.import_graph import MODULES, imported

FOLDERS = {"assistant": "assistant", "jupyter_ext": "jupyter_ext", "kernelopt": "kernelopt", "lsp": "lsp", "prompts": "assistant/prompts"}
"""Where the wheel has each folder of the tree."""
TERMINAL = {
    *(f"assistant/cli/{name}.py" for name in ("study_answers", "training_answers", "judging_many", "tasks_making")),
    *(f"assistant/cli/bench_{name}.py" for name in ("answers", "operators", "screen")),
    *(f"assistant/cli/cluster_{name}.py" for name in ("answers", "asked", "work")),
}
"""Of the command line, what the extension leaves out."""
OPTIONS_OF_TERMINAL = ("study", "training", "cluster", "tasks", "tasks_answers", "bench")
"""Of the command line, what asks for what is left out, and only then loads it."""


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel as VS Code's extension carries and installs it, and what it needs from this one; nothing leads to
    the tree."""

    names: frozenset[str]
    """Files of the wheel that people install."""
    packed: frozenset[str]
    """Files of the extension's one."""
    python: Path

    def run(self, cli: Cli, *arguments: str | Path) -> Ended:
        variables = cli.environment() | {"PYTHONPATH": ""}
        command = (str(self.python), "-m", "assistant", *map(str, arguments))
        ended = subprocess.run(
            command, cwd=cli.folder, env=variables, capture_output=True, text=True, encoding="utf-8", timeout=DEADLINE_S, check=False
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Installed:
    """Made once for all processes of a run of the tests, which share the folder above their own."""
    if worker_id == "master":  # there is one process
        return _installed(tmp_path_factory.mktemp("wheel"))
    folder = tmp_path_factory.getbasetemp().parent / "wheel"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "made.lock"):
        return _installed(folder)


def _installed(folder: Path) -> Installed:
    """What stands in ``folder``, or is made there."""
    whole, wheel = _wheels(folder)
    python = folder / "environment" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "environment", with_pip=False, symlinks=True)
        (packages,) = (folder / "environment" / "lib").glob("python*/site-packages")
        with zipfile.ZipFile(wheel) as made:
            made.extractall(packages)
        (packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")  # of a folder named so no .pth file is read
    return Installed(_names(whole), _names(wheel), python)


def _names(wheel: Path) -> frozenset[str]:
    with zipfile.ZipFile(wheel) as opened:
        return frozenset(opened.namelist())


def _wheels(folder: Path) -> tuple[Path, Path]:
    """What people install, and what the extension carries."""
    texts, wheel = folder / "kernelopt.texts", folder / "packed.whl"
    if not wheel.exists():
        command = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
        subprocess.run(command, check=True, timeout=DEADLINE_S)
        (whole,) = folder.glob("kernelopt-*.whl")
        runpy.run_path(str(ROOT / "vscode-client" / "tools" / "wheel.py"))["pack"](whole, texts)
        subprocess.run((sys.executable, ROOT / "vscode-client" / "python" / "make_wheel.py", texts, wheel), check=True, timeout=DEADLINE_S)
    (whole,) = folder.glob("kernelopt-*.whl")
    return whole, wheel


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_wheel_holds_every_file_of_its_folders(installed: Installed, folder: str) -> None:
    files = (path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    missing = {f"{FOLDERS[folder]}/{path.relative_to(ROOT / folder)}" for path in files} - installed.names
    assert not missing, missing


def test_the_wheel_brings_no_other_top_level_name(installed: Installed) -> None:
    tops = {name.partition("/")[0] for name in installed.names}
    assert {top for top in tops if not top.startswith("kernelopt-")} == {"assistant", "jupyter_ext", "kernelopt", "lsp"}


def test_the_extension_leaves_out_what_is_for_notebooks_and_terminals_alone(installed: Installed) -> None:
    left_out = installed.names - installed.packed
    assert {name.partition("/")[0] for name in left_out} == {"jupyter_ext", "kernelopt", "kernelopt-0.1.0.data", "assistant"}
    parts = {name.split("/")[1] for name in left_out if name.startswith("assistant/")}
    assert parts == {"live", "agents", "bench", "study", "training", "cluster", "cli"}
    gone = tuple(f"assistant/{part}/" for part in (*(parts - {"agents", "cli"}), "agents/synthesis"))
    assert not {name for name in installed.packed if name.startswith(gone)}
    assert {name for name in left_out if name.startswith("assistant/cli/")} == TERMINAL
    assert {"kernelopt/__init__.py", "kernelopt/__main__.py"} <= installed.packed <= installed.names


def test_nothing_that_the_extension_carries_imports_what_it_leaves_out(installed: Installed) -> None:
    carried = [name for name, path in MODULES.items() if path.relative_to(ROOT).as_posix() in installed.packed and name != "kernelopt"]
    left_out = {name for name, path in MODULES.items() if path.relative_to(ROOT).as_posix() not in installed.packed}
    assert len(carried) > 900 and left_out
    found = {name: modules for name in carried if (modules := imported(name) & left_out)}
    assert found.keys() == {f"assistant.cli.{name}" for name in OPTIONS_OF_TERMINAL}


@pytest.mark.parametrize(
    "words",
    first_of(["bench .", "tasks judge T1 k.cu", "study report", "train policy out", "cluster show tcp://localhost:1", "tasks make out"], 2),
)
def test_a_command_that_the_extension_does_not_carry_says_where_it_is(installed: Installed, cli: Cli, words: str) -> None:
    ended = installed.run(cli, *words.split())
    assert (ended.code, ended.out) == (3, "")
    assert "does not carry" in ended.err and "pipx install kernelopt" in ended.err and "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["assistant", "lsp"])
def test_another_distributions_package_in_front_of_ours_is_one_clear_error(installed: Installed, name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise RuntimeError('imported')\n")
    command = (str(installed.python), "-m", "kernelopt", "doctor")
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", env={"PYTHONPATH": str(tmp_path)})
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.startswith("error: ") and str(tmp_path / name) in ended.stderr and "Traceback" not in ended.stderr


def test_the_command_starts_where_no_other_distribution_can_stand_in_front(installed: Installed) -> None:
    (entries,) = (name for name in installed.names if name.endswith("entry_points.txt"))
    (path,) = (installed.python.parents[1] / "lib").glob(f"python*/site-packages/{entries}")
    assert "kernelopt = kernelopt.__main__:main" in path.read_text("utf-8")


def test_jupyter_finds_both_of_its_extensions_where_the_wheel_is_installed(installed: Installed) -> None:
    shared = {name.partition(".data/data/")[2] for name in installed.names}
    lab = ROOT / "jupyter_ext" / "labextension"
    shipped = {f"share/jupyter/labextensions/kernelopt/{path.relative_to(lab)}" for path in lab.rglob("*") if path.is_file()}
    assert shipped and shipped <= shared
    assert {"share/jupyter/labextensions/kernelopt/install.json", "etc/jupyter/jupyter_server_config.d/kernelopt.json"} <= shared


def test_it_runs_what_it_holds_and_not_this_tree(installed: Installed) -> None:
    program = "import assistant, kernelopt, lsp; print(*(module.__file__ for module in (assistant, kernelopt, lsp)))"
    found = subprocess.run((installed.python, "-c", program), capture_output=True, text=True, check=True, cwd="/", env={}).stdout
    assert str(ROOT) not in found and found.count("site-packages") == 3


def test_it_looks_at_a_program_and_runs_it_from_another_folder(installed: Installed, cli: Cli) -> None:
    assert installed.run(cli, "doctor").code == 0
    assert installed.run(cli, "inspect", EXAMPLES / "transpose.cu", "--json").one("kernel")["kernel"].startswith("transpose(")
    ended = installed.run(cli, "profile", cli.small("transpose.cu"), "--json")
    assert ended.code == 0 and "KO101" in {finding["code"] for finding in ended.one("profile")["findings"]}, ended.said


@pytest.mark.thorough
def test_it_does_the_whole_job_from_another_folder(installed: Installed, cli: Cli) -> None:
    ended = installed.run(cli, "optimize", cli.small("transpose.cu"), "--json", "--accept", "none")
    assert ended.code == 0, ended.said
    proposal = ended.one("proposal")
    assert proposal["verification"]["outcome"] == "PASS" and "KO101" in proposal["explanation"]
