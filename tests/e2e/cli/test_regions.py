"""The part of a program that a person asks the speed of, on the command line: an option, a setting, a pair session; a misspelt one."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli, finish, no_orphans
from tests.e2e.cli.test_pair import pair, start, wait_for_turns
from tests.programs_of_steps import COPIED, SWAPPED


@pytest.mark.thorough
def test_a_copy_that_is_left_out_counts_in_the_function_that_made_it(cli: Cli) -> None:
    copied, swapped = cli.write("copied.cu", COPIED), cli.write("swapped.cu", SWAPPED)
    ended = cli.run("compare", copied, swapped, "--device", "cpu", "--json", "--region", "step")
    of_kernel, of_step = ended.all("comparison")
    assert (ended.code, of_kernel["speed"], of_step["kernel"]) == (0, None, None), ended.said
    assert of_step["verification"]["outcome"] == "PASS"
    speed = of_step["speed"]
    assert speed["outcome"] == "PREDICTED" and speed["ratio"] > 1.3
    assert speed["caveats"][:2] == ["a call of step", "of 1 launch and 1 copy on the GPU of A and 1 launch of B as one sequence, 3 times"]
    assert [case["shape"] for case in speed["cases"]] == ["step"]


@pytest.mark.parametrize("command", ["compare", "optimize", "pair"])
def test_a_misspelt_function_is_said_with_the_nearest_names_before_anything_runs(cli: Cli, command: str) -> None:
    copied, swapped = cli.write("copied.cu", COPIED), cli.write("swapped.cu", SWAPPED)
    files = (copied, swapped) if command == "compare" else (copied,)
    ended = cli.run(command, *files, "--region", "stp")
    assert ended.code == 2, ended.said
    assert "the program defines no function stp" in ended.err and "did you mean step?" in ended.err
    kernel = cli.run(command, *files, "--region", "turn")
    assert kernel.code == 2 and "turn is a kernel" in kernel.err


@pytest.mark.thorough
def test_a_setting_says_what_speeds_are_of_where_the_program_has_it(cli: Cli) -> None:
    copied, swapped = cli.write("copied.cu", COPIED), cli.write("swapped.cu", SWAPPED)
    cli.write("kernelopt.toml", 'region = "step"\n')
    ended = cli.run("compare", copied, swapped, "--device", "cpu", "--json")
    assert ended.all("comparison")[-1]["speed"]["caveats"][0] == "a call of step", ended.said
    cli.write("kernelopt.toml", 'region = "relax"\n')
    other = cli.run("compare", copied, swapped, "--device", "cpu", "--json")
    assert other.code == 0 and other.all("comparison")[-1]["speed"]["caveats"][0].startswith("copies or fills differ"), other.said
    assert any("the setting region names relax" in message["message"] for message in other.all("message"))


@pytest.mark.thorough
def test_a_pair_session_answers_with_the_speed_of_what_was_asked_for(cli: Cli) -> None:
    source = cli.write("steps.cu", COPIED)
    with no_orphans():
        process = start(cli, source, "--device", "cpu", "--region", "main", "--json")
        wait_for_turns(cli, process, 1)
        source.write_text(SWAPPED, "utf-8")
        wait_for_turns(cli, process, 2)
        assert process.stdin is not None
        process.stdin.write("quit\n")
        process.stdin.flush()
        ended = finish(process)
    comparisons = ended.all("comparison")
    assert comparisons[-1]["speed"]["caveats"][0] == "all that main does on the GPU", ended.said
    assert "PREDICTED" in ended.all("pair_turn")[-1]["answer"]
    assert pair(cli, source, said="stop\n").code == 0
