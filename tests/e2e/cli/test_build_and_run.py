"""``--build`` and ``--run`` name a program that the emulator cannot run: told at once, with the way out."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli

COMMANDS = {
    "check": ("check", "transpose.cu"),
    "profile": ("profile", "transpose.cu"),
    "compare": ("compare", "transpose.cu", "transpose.cu"),
    "optimize": ("optimize", "transpose.cu"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_binary_is_refused_with_the_way_out(cli: Cli, command: str) -> None:
    cli.small("transpose.cu")
    ended = cli.run(*COMMANDS[command], "--build", "make all", "--run", "python train.py --steps 1")
    assert ended.code == 3
    assert "python train.py --steps 1" in ended.err
    assert "name the source that has main()" in ended.err
    assert "kernelopt init" in ended.err
    assert not (cli.home / "memory.sqlite3").exists(), "nothing was started, so nothing is remembered"


def test_a_build_without_anything_to_run_is_misuse(cli: Cli) -> None:
    ended = cli.run("check", cli.small("transpose.cu"), "--build", "make")
    assert ended.code == 2
    assert "--build needs --run" in ended.err


def test_an_open_quote_is_misuse(cli: Cli) -> None:
    ended = cli.run("check", cli.small("transpose.cu"), "--run", "./a 'b")
    assert ended.code == 2
    assert "cannot be split into words" in ended.err
