"""``kernelopt … | head``: the reader stops first."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli, finish


@pytest.mark.parametrize("options", [("--json",), pytest.param((), marks=pytest.mark.thorough)])
def test_a_reader_that_stops_ends_the_command_quietly(cli: Cli, options: tuple[str, ...]) -> None:
    process = cli.start("profile", cli.example("pipeline.cu"), *options)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    ended = finish(process)
    assert (ended.code, ended.err) == (141, "")
