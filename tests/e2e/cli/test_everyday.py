"""The commands people type every day, on the example programs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.e2e.cli.harness import COMMAND, EXAMPLES, Cli
from tests.e2e.conftest import Offered
from tests.integration.lab.test_compiler import TALLY
from tests.thorough import only

COMMANDS = (
    *("inspect", "check", "profile", "compare", "optimize", "program"),
    *("proposals", "show", "accept", "reject", "undo", "history", "memory", "doctor", "init", "trust"),
)
PROGRAMS = tuple(sorted(path.name for path in EXAMPLES.glob("*.cu")))
SLOW = ("accumulator.cu", "bank_conflicts.cu", "block_size.cu", "double_literals.cu", "pipeline.cu", "row_walk.cu", "transpose.cu")
FAST = ("good_reduce.cu", "good_saxpy.cu")


@pytest.mark.parametrize("name", only(["declared_blur.cu", "pipeline.cu"], PROGRAMS))
def test_inspect_shows_kernels_without_running_them(cli: Cli, name: str) -> None:
    ended = cli.run("inspect", cli.example(name), "--json")
    assert ended.code == 0, ended.said
    assert ended.err == ""
    kernels = ended.all("kernel")
    assert len(kernels) == (EXAMPLES / name).read_text().count("__global__")
    for kernel in kernels:
        assert kernel["parameters"], kernel
        assert all(found["registers_per_thread"] > 0 for found in kernel["resources"])


def test_check_finds_no_problem_in_a_right_program(cli: Cli) -> None:
    ended = cli.run("check", cli.small("transpose.cu"), "--json")
    checked = ended.one("check")
    assert (ended.code, checked["problems"], checked["is_deterministic"], checked["launch_count"]) == (0, [], True, 1)


@pytest.mark.thorough
def test_check_names_the_line_of_a_missing_barrier(cli: Cli) -> None:
    source = (EXAMPLES.parent / "tests" / "cheats" / "missing_barrier.cu").read_text("utf-8")
    ended = cli.run("check", cli.write("racy.cu", source), "--json")
    problem = ended.one("check")["problems"][0]
    assert ended.code == 1
    assert problem["kind"] in ("shared_race", "missing_syncwarp")
    assert "tile[" in source.splitlines()[problem["line"] - 1]


_RACE_THAT_COMPILERS_REMOVE = """
#include <cstdio>
__global__ void number(const int *x, int *y) {
    __shared__ int last;
    last = threadIdx.x;
    y[threadIdx.x] = last + x[threadIdx.x];
}
int main() {
    int *x, *y;
    cudaMalloc(&x, 1024);
    cudaMalloc(&y, 1024);
    cudaMemset(x, 0, 1024);
    number<<<1, 256>>>(x, y);
    printf("%d\\n", cudaDeviceSynchronize());
}
"""


def test_check_finds_a_race_that_an_optimising_compiler_hides(cli: Cli) -> None:
    ended = cli.run("check", cli.write("hidden.cu", _RACE_THAT_COMPILERS_REMOVE), "--json")
    problems = ended.one("check")["problems"]
    assert ended.code == 1
    assert {(p["kind"], p["line"]) for p in problems} >= {("shared_race", 5), ("missing_syncwarp", 6)}


def test_of_a_line_that_races_with_itself_no_barrier_is_missed(cli: Cli) -> None:
    text = _RACE_THAT_COMPILERS_REMOVE.replace("number(const int *x, int *y) {", "number(const int *x, int *y) { y[0] += x[threadIdx.x];")
    told = [p for p in cli.run("check", cli.write("total.cu", text), "--json").one("check")["problems"] if p["line"] == p["other_line"]]
    assert {p["kind"] for p in told} >= {"global_race"}
    assert "write after read: nothing orders it with thread" in " ".join(p["message"] for p in told), told
    assert not [p["message"] for p in told if "no barrier" in p["message"] or "no __syncwarp" in p["message"]]


@pytest.mark.parametrize("name", only(["transpose.cu"], [*SLOW, *FAST]))
def test_profile_says_what_limits_a_program(cli: Cli, name: str) -> None:
    ended = cli.run("profile", cli.example(name), "--json")
    assert ended.code == 0, ended.said
    profiles = ended.all("profile")
    assert profiles and all(event["lines"] and event["method"] for event in profiles)
    assert all(event["launch_count"] >= 1 and event["bottleneck"] for event in ended.all("profile_summary"))
    findings = [finding for event in profiles for finding in event["findings"]]
    assert bool(findings) == (name in SLOW), findings


def test_a_loop_that_the_compiler_unrolled_is_not_called_one_for_the_branches_in_it(cli: Cli) -> None:
    """Four atomics, each behind a test of its own, in each round of the loop around them."""
    main = """
int main()
{
    int *keys, *bins;
    cudaMalloc(&keys, 32768);
    cudaMalloc(&bins, 4096);
    cudaMemset(keys, 0xd1, 32768);
    cudaMemset(bins, 0, 4096);
    tally<<<4, 256>>>(keys, bins, 1024, 8);
    return cudaDeviceSynchronize();
}
"""
    text = TALLY.replace("UNROLL", "") + main
    profiles = cli.run("profile", cli.write("tally.cu", text), "--json").all("profile")
    assert profiles and all(finding["code"] != "KO114" for event in profiles for finding in event["findings"])


@pytest.mark.thorough
def test_every_number_of_a_finding_is_cited_evidence_with_a_unit(cli: Cli) -> None:
    ended = cli.run("profile", cli.small("transpose.cu"), "--json")
    for event in ended.all("profile"):
        known = {fact["id"]: fact for fact in event["evidence"]}
        for finding in event["findings"]:
            assert finding["evidence"]
            assert all(known[identity]["unit"] and known[identity]["method"] for identity in finding["evidence"])


@pytest.mark.thorough
def test_a_counter_that_does_not_apply_is_absent(cli: Cli) -> None:
    lines = cli.run("profile", cli.example("bank_conflicts.cu"), "--json").all("profile")[0]["lines"]
    for line in lines:
        kind = line["op"].split()[0]
        assert ("sectors" in line) == (kind != "shared"), line
        assert None not in line.values()


@pytest.mark.thorough
def test_launches_limits_what_profile_shows_not_what_it_counts(cli: Cli) -> None:
    ended = cli.run("profile", cli.example("pipeline.cu"), "--launches", "1", "--json")
    assert len(ended.all("profile")) == 1
    assert sum(event["launch_count"] for event in ended.all("profile_summary")) > 1


@pytest.mark.thorough
def test_only_the_named_kernel_is_profiled(cli: Cli) -> None:
    path = cli.example("pipeline.cu")
    names = [event["kernel"] for event in cli.run("inspect", path, "--json").all("kernel")]
    chosen = names[1].split("(")[0]
    ended = cli.run("profile", path, "--kernel", chosen, "--json")
    assert {event["kernel"] for event in ended.all("profile")} == {names[1]}


@pytest.mark.thorough
def test_a_path_is_shown_without_its_dots(cli: Cli) -> None:
    (cli.folder / "a").mkdir()
    path = cli.quick()
    ended = cli.run("compare", f"a/../{path.name}", f"./a/../{path.name}")
    assert str(path) in ended.out and ".." not in ended.said.replace("...", "")


@pytest.mark.thorough
def test_arguments_after_two_dashes_reach_the_program(cli: Cli) -> None:
    path = cli.write("sized.cu", SIZED)
    grids = [cli.run("profile", path, "--json", "--", count).one("profile")["grid"] for count in ("3", "5")]
    assert grids == [[3, 1, 1], [5, 1, 1]]


@pytest.mark.thorough
def test_cflags_reach_both_compilers(cli: Cli) -> None:
    path = cli.write("defined.cu", SIZED.replace("atoi(argv[1])", "BLOCKS"))
    assert cli.run("inspect", path, "--json").code == 1
    ended = cli.run("profile", path, "--cflags", "-DBLOCKS=7", "--json")
    assert (ended.code, ended.one("profile")["grid"]) == (0, [7, 1, 1])


@pytest.mark.thorough
def test_further_sources_are_compiled_with_the_file(cli: Cli) -> None:
    main = cli.write("main.cu", "int chosen();\n" + SIZED.replace("atoi(argv[1])", "chosen()"))
    other = cli.write("other.cu", "int chosen() { return 6; }\n")
    ended = cli.run("profile", main, other, "--json")
    assert (ended.code, ended.one("profile")["grid"]) == (0, [6, 1, 1]), ended.said


def test_doctor_names_every_missing_part_with_a_remedy(cli: Cli) -> None:
    ended = cli.run("doctor", "--json")
    parts = json.loads(ended.out)
    assert ended.code == 0, ended.said
    assert all(part["is_fine"] or part["remedy"] for part in parts)
    assert any("g++" in part["detail"] for part in parts), parts


def test_doctor_says_what_is_wrong_without_a_host_compiler(cli: Cli) -> None:
    ended = cli.run("doctor", variables={"PATH": str(cli.folder)})
    assert ended.code == 3
    assert "g++" in ended.out and "try:" in ended.out


def test_a_machine_without_a_host_compiler_cannot_answer(cli: Cli) -> None:
    ended = cli.run("check", cli.example("good_saxpy.cu"), variables={"PATH": str(cli.folder)})
    assert ended.code == 3
    assert "g++" in ended.said and "try:" in ended.said


def test_doctor_shows_where_a_setting_comes_from(cli: Cli) -> None:
    cli.write("kernelopt.toml", 'target = "a100"\n')
    ended = cli.run("doctor", "--config", cli.example("good_saxpy.cu"), "--json")
    setting = json.loads(ended.out)["target"]
    assert setting["value"] == "a100" and "kernelopt.toml" in setting["origin"]


def test_trust_is_kept_in_the_users_own_folder(cli: Cli) -> None:
    assert cli.run("trust", ".").code == 0
    assert json.loads((cli.home / "trust.json").read_text())["folders"] == {str(cli.folder.resolve()): True}
    assert list(cli.folder.iterdir()) == []
    assert cli.run("trust", ".", "--revoke").code == 0
    assert json.loads((cli.home / "trust.json").read_text())["folders"] == {str(cli.folder.resolve()): False}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_a_command_and_its_arguments(cli: Cli, command: str) -> None:
    ended = cli.run(command, "--help")
    assert ended.code == 0
    assert f"kernelopt {command}" in ended.out
    assert "\x1b" not in ended.out
    explained = [line for line in ended.out.splitlines() if line.strip().startswith("│")]
    assert explained, ended.out


def test_help_without_a_command_lists_every_command(cli: Cli) -> None:
    ended = cli.run("--help")
    assert ended.code == 0
    assert [command for command in COMMANDS if command not in ended.out] == []


@pytest.mark.parametrize(
    "arguments", [("inspect",), ("nonsense",), ("check", "a.cu", "--nonsense"), ("profile", "a.cu", "--launches", "x")]
)
def test_misuse_is_exit_2_and_says_what_is_wrong(cli: Cli, arguments: tuple[str, ...]) -> None:
    ended = cli.run(*arguments)
    assert ended.code == 2
    assert ended.err.strip() and "Traceback" not in ended.err


@pytest.mark.parametrize(
    "command", only(["inspect", "history"], ["inspect", "check", "profile", "proposals", "history", "doctor", "optimize"])
)
def test_piped_output_has_no_escape_codes(offered: Offered, command: str) -> None:
    file = () if command == "doctor" else (offered.source,)
    ended = offered.cli.run(command, *file, variables={"TERM": "xterm-256color"})
    assert ended.code == 0, ended.said
    assert "\x1b" not in ended.said


def test_a_piped_diff_can_be_applied_with_patch(offered: Offered) -> None:
    shown = offered.cli.run("show", offered.id).out
    diff = offered.proposal["diff"]
    assert diff.strip() in shown
    subprocess.run(["patch", "-p1", "--quiet"], cwd=offered.cli.folder, input=diff, text=True, check=True, timeout=10)
    patched = offered.text
    offered.source.write_text(offered.original, "utf-8")
    assert offered.cli.run("accept", offered.id).code == 0
    assert offered.text == patched


def test_a_piped_list_shows_whole_ids(offered: Offered) -> None:
    assert "P1" in offered.cli.run("proposals").out.split()


def test_nothing_of_the_working_folder_is_imported(cli: Cli) -> None:
    """A stranger's folder may hold files named like Python's modules; ``inspect`` runs nothing of it."""
    path = cli.small("transpose.cu")
    for name in ("json", "signal", "asyncio", "assistant"):
        cli.write(f"{name}.py", f"open({str(cli.folder / 'ran')!r}, 'w')\n")
    ended = cli.run("inspect", path)
    assert ended.code == 0, ended.said
    assert not (cli.folder / "ran").exists()


def test_the_installed_script_is_the_same_command(cli: Cli) -> None:
    script = Path(COMMAND[0]).with_name("kernelopt")
    ended = subprocess.run([script, "--help"], capture_output=True, text=True, timeout=60, env=cli.environment() | os.environ, check=True)
    assert ended.stdout == cli.run("--help").out


SIZED = """#include <cstdlib>
__global__ void ones(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
int main(int argc, char **argv)
{
    int blocks = atoi(argv[1]);
    float *out;
    cudaMalloc(&out, blocks * 64 * sizeof(float));
    ones<<<blocks, 64>>>(out);
    float first;
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return first == 1.0f ? 0 : 1;
}
"""


@pytest.mark.thorough
def test_a_withheld_edit_of_the_launch_is_reported_at_the_end(cli: Cli) -> None:
    """Without a terminal no person has seen host code change: the edit is not tried, and the last words say how to have it tried."""
    ended = cli.run("optimize", cli.small("block_size.cu"))
    lines = ended.out.splitlines()
    place = next(index for index, line in enumerate(lines) if "not tried, because it edits host code" in line)
    assert "block size search of triad" in lines[place] and "--allow-host-code" in lines[place + 1], ended.out
    assert "no edit found" in lines[-1]
    allowed = cli.run("optimize", cli.example("good_saxpy.cu"))
    assert "--allow-host-code" not in allowed.out


_TWO_NAMES = """
__global__ void compact(const float *in, float *out, int *count) { if (in[threadIdx.x] > 0) out[atomicAdd(count, 1)] = in[threadIdx.x]; }
template <int N> __global__ void add(float *x) { x[threadIdx.x] += N; }
int main() { compact<<<1, 32>>>(0, 0, 0); add<3><<<1, 32>>>(0); add<4><<<1, 32>>>(0); }
"""


@pytest.mark.thorough
def test_kernels_have_their_names_without_a_demangler(cli: Cli) -> None:
    ended = cli.run("inspect", cli.write("named.cu", _TWO_NAMES), "--json", variables={"PATH": str(cli.folder)})
    names = {event["kernel"]: [found["instance"] for found in event["resources"]] for event in ended.all("kernel")}
    plain, template = names
    assert names[plain] == [plain]
    assert len(names[template]) == 2 and all(name.startswith(f"{template} [_Z3addILi") for name in names[template])


@pytest.mark.thorough
def test_a_problem_is_reported_once(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("past.cu", _PAST_BOTH_ENDS))
    words = ("KO201", "out_of_bounds", "bytes before in, which has 64 elements: in[-1]", "at offset 256 of in")
    assert [ended.out.count(each) for each in words] == [2, 0, 1, 1]


_PAST_BOTH_ENDS = """
__global__ void sides(const int *in, int *out) { out[threadIdx.x] = in[int(threadIdx.x) - 1] + in[threadIdx.x + 1]; }
int main() {
    int *in, *out;
    cudaMalloc(&in, 256); cudaMalloc(&out, 512);
    cudaMemset(in, 0, 256);
    sides<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(
    "words",
    only(
        ["inspect transpose.cu", "accept p-none", "no-such-command"],
        [
            *("inspect transpose.cu", "check transpose.cu", "profile transpose.cu", "init transpose.cu"),
            *("proposals", "show p-none", "accept p-none", "reject p-none", "undo p-none", "history"),
            *("memory show", "memory verify", "doctor", "no-such-command"),
        ],
    ),
)
def test_a_command_answers_alike_forked_and_started(cli: Cli, words: str) -> None:
    """Most tests fork their commands from a process that has loaded them; that a start changes nothing is seen here."""
    cli.quick()
    forked = cli.run(*words.split())
    cli.is_loaded = False
    started = cli.run(*words.split())
    assert (started.code, _lasting(started.out), started.err) == (forked.code, _lasting(forked.out), forked.err)


def _lasting(said: str) -> str:
    """What is said without what may differ a moment later: names of records, times and the room on the disk."""
    return re.sub(r"\bJ0\w{25}\b|\d+ ms\b|\d+ [GM]iB free\b", "…", said)


def test_the_version_is_shown(cli: Cli) -> None:
    ended = cli.run("--version")
    assert (ended.code, ended.out) == (0, f"kernelopt {version('kernelopt')}\n")


def test_a_project_is_set_up_for_coding_agents(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    shown = cli.run("agents", "init", str(folder), "--for", "claude", "--dry-run")
    assert shown.code == 0 and "Claude Code: would write .mcp.json (new) and skills in .claude/skills" in shown.out
    assert list(folder.iterdir()) == []
    written = cli.run("agents", "init", str(folder), "--for", "claude")
    assert written.code == 0, written.said
    assert json.loads((folder / ".mcp.json").read_text())["mcpServers"]["kernelopt"]["args"] == ["mcp"]
    assert "name: kernelopt-workflow" in (folder / ".claude/skills/kernelopt-workflow/SKILL.md").read_text()
    assert "0 files new, 0 changed" in cli.run("agents", "init", str(folder)).out
    refused = cli.run("agents", "init", str(folder), "--for", "emacs")
    assert refused.code == 2 and "there is no agent emacs" in refused.err
