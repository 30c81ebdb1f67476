"""The package inside the extension, installed as the extension does it: from its own wheel, the rest from a package index."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.e2e.cli.harness import EXAMPLES, Cli
from tests.e2e.vscode.parts import CLIENT, extension, node

_DEADLINE_S = 600
_LIMIT_BYTES = 2_000_000
"""Of the extension's package. What fills it: docs/measurements.md."""
_INSTALL = """
import { install, privatePython } from "./src/server/install.ts";
const [folder, version, packed, makeWheel, python] = process.argv.slice(1);
const place = { folder, version, packed, makeWheel };
const failure = await install(place, { pythons: [python], onText: () => undefined, signal: new AbortController().signal });
console.log(JSON.stringify({ failure: failure ?? null, python: privatePython(place) }));
"""


def test_the_package_stays_small() -> None:
    assert extension().stat().st_size <= _LIMIT_BYTES


@pytest.mark.thorough
def test_the_packed_wheel_makes_an_environment_that_does_the_job(cli: Cli, tmp_path: Path) -> None:
    if not _index_is_reachable(tmp_path):
        pytest.skip("no package index is reachable")
    version = json.loads((CLIENT / "package.json").read_text("utf-8"))["version"]
    with zipfile.ZipFile(extension()) as inside:
        names = (f"server/kernelopt-{version}.texts.br", "python/make_wheel.py")
        packed = [inside.extract(f"extension/{name}", tmp_path) for name in names]
        arguments = (str(tmp_path / "server"), version, *packed, sys.executable)
    made = subprocess.run(
        (str(node()), "--input-type=module", "-e", _INSTALL, *arguments),
        cwd=CLIENT,
        capture_output=True,
        text=True,
        timeout=_DEADLINE_S,
        check=True,
    )
    answer = json.loads(made.stdout)
    assert answer["failure"] is None, answer
    for command in (("doctor", "--warm"), ("doctor",), ("inspect", str(EXAMPLES / "transpose.cu"), "--json")):
        ended = subprocess.run(
            (answer["python"], "-P", "-m", "assistant", *command),
            cwd=cli.folder,
            env=cli.environment() | {"PYTHONPATH": ""},
            capture_output=True,
            text=True,
            timeout=_DEADLINE_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "transpose(" in ended.stdout
    assert sorted(path.name for path in (tmp_path / "server").iterdir()) == [version], "nothing half-made is left"


def _index_is_reachable(folder: Path) -> bool:
    """Whether pip can fetch the smallest of what kernelopt needs."""
    command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--timeout", "10", "--retries", "0")
    return subprocess.run((*command, "-d", str(folder / "probe"), "platformdirs"), capture_output=True, check=False).returncode == 0
