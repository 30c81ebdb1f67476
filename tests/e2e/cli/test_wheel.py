"""The package as people and the VS Code extension install it: everything is inside, and works far from this tree."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DEADLINE_S, EXAMPLES, ROOT, Cli, Ended

PACKAGES = ("assistant", "lsp", "jupyter_ext", "prompts")


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel, and what it needs from this one; nothing leads to the tree."""

    names: frozenset[str]
    """Files of the wheel."""
    python: Path

    def run(self, cli: Cli, *arguments: str | Path) -> Ended:
        variables = cli.environment() | {"PYTHONPATH": ""}
        command = (str(self.python), "-m", "assistant", *map(str, arguments))
        ended = subprocess.run(
            command, cwd=cli.folder, env=variables, capture_output=True, text=True, encoding="utf-8", timeout=DEADLINE_S, check=False
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        (sys.executable, str(ROOT / "vscode-client" / "tools" / "wheel.py"), str(folder / "made")), check=True, timeout=DEADLINE_S
    )
    (wheel,) = (folder / "made").iterdir()
    venv.create(folder / "environment", with_pip=False, symlinks=True)
    (packages,) = (folder / "environment" / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as made:
        made.extractall(packages)
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")  # of a folder named so no .pth file is read
    return Installed(frozenset(made.namelist()), folder / "environment" / "bin" / "python")


def test_the_wheel_holds_every_file_of_its_packages(installed: Installed) -> None:
    for package in PACKAGES:
        files = (path.relative_to(ROOT) for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        missing = {str(path) for path in files} - installed.names
        assert not missing, missing


def test_jupyter_finds_both_of_its_extensions_where_the_wheel_is_installed(installed: Installed) -> None:
    shared = {name.partition(".data/data/")[2] for name in installed.names}
    lab = ROOT / "jupyter_ext" / "labextension"
    shipped = {f"share/jupyter/labextensions/kernelopt/{path.relative_to(lab)}" for path in lab.rglob("*") if path.is_file()}
    assert shipped and shipped <= shared
    assert {"share/jupyter/labextensions/kernelopt/install.json", "etc/jupyter/jupyter_server_config.d/kernelopt.json"} <= shared


def test_it_runs_what_it_holds_and_not_this_tree(installed: Installed) -> None:
    program = "import assistant, lsp, prompts; print(*(module.__file__ for module in (assistant, lsp, prompts)))"
    found = subprocess.run((installed.python, "-c", program), capture_output=True, text=True, check=True, cwd="/").stdout
    assert str(ROOT) not in found and found.count("site-packages") == 3


def test_it_does_the_whole_job_from_another_folder(installed: Installed, cli: Cli) -> None:
    assert installed.run(cli, "doctor").code == 0
    assert installed.run(cli, "inspect", EXAMPLES / "transpose.cu", "--json").one("kernel")["kernel"].startswith("transpose(")
    ended = installed.run(cli, "optimize", cli.small("transpose.cu"), "--json", "--accept", "none")
    assert ended.code == 0, ended.said
    proposal = ended.one("proposal")
    assert proposal["verification"]["outcome"] == "PASS" and "KO101" in proposal["explanation"]
