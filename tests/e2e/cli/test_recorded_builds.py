"""``kernelopt program --record`` and ``--build``/``--run`` without a GPU: a real build is recorded, and what it links runs emulated."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DATA, Cli, finish, wait_for


@pytest.fixture
def cli(cli: Cli, tmp_path: Path) -> Cli:
    """On a PATH without nvcc, with what lies next to Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in (*os.environ["PATH"].split(os.pathsep), str(Path(sys.executable).parent)):
        for file in sorted(Path(place).iterdir()) if Path(place).is_dir() else ():
            if file.name != "nvcc" and not (folder / file.name).is_symlink():
                (folder / file.name).symlink_to(file)
    return replace(cli, variables=cli.variables | {"PATH": str(folder)})


def _project(cli: Cli, name: str) -> Cli:
    """In a copy of a project, a workspace of its own."""
    folder = Path(shutil.copytree(DATA / "programs" / name, cli.folder / name))
    (folder / "kernelopt.toml").touch()
    return replace(cli, folder=folder)


def test_a_makefile_is_recorded_and_its_program_runs_with_arguments(cli: Cli) -> None:
    cli = _project(cli, "makefile_library")
    commands = ("--build", "make demo", "--run", "./demo 100", "--device", "cpu", "--json")
    ended = cli.run("check", "src/square.cu", *commands)
    assert ended.code == 0, ended.said
    assert ended.err == f"recording make demo: it runs once, in a private copy of {cli.folder}\n"
    assert [(each["kernel"], each["launch_count"]) for each in ended.all("check")] == [("square(const float *, float *, int)", 1)]
    assert any("the program printed: 199.12" in message["message"] for message in ended.all("message"))
    assert sorted(path.name for path in cli.folder.iterdir()) == [".kernelopt", "Makefile", "include", "kernelopt.toml", "src"]


@pytest.mark.thorough
def test_a_script_is_recorded_with_the_header_that_it_generates(cli: Cli) -> None:
    cli = _project(cli, "shell_script")
    ended = cli.run("program", "smooth.cu", "--record", "./build.sh")
    assert ended.code == 0, ended.said
    assert "out/stencil  (recorded build)\n  units main.cu smooth.cu\n  why   ./build.sh links it\n" in ended.out
    assert "recorded: ./build.sh links out/stencil" in ended.err
    ended = cli.run("check", "smooth.cu", "--device", "cpu", "--json", "--", "input.txt")
    assert ended.code == 0, ended.said
    assert any("the program printed: 7.6636" in message["message"] for message in ended.all("message"))
    (cli.folder / "make_table.sh").write_text("#!/bin/sh\nexit 1\n")
    shown = cli.run("program", "smooth.cu")
    assert "make_table.sh changed since ./build.sh was recorded: kernelopt program --record ./build.sh records it again" in shown.err


@pytest.mark.thorough
def test_two_programs_of_a_ninja_file_are_one_question_and_its_source_in_c_is_linked(cli: Cli) -> None:
    cli = _project(cli, "ninja_two")
    assert "build.ninja was found: kernelopt program " in cli.run("program", "src/gemv.cuh").out
    assert cli.run("program", "--record", "ninja").code == 0
    ended = cli.run("check", "src/gemv.cu", "--device", "cpu")
    assert ended.code == 3
    assert "gemv.cu is part of 2 programs" in ended.err
    assert "bin/app" in ended.err
    assert cli.run("program", "src/gemv.cu", "--use", "bin/app").code == 0
    assert "bin/app  (recorded build, chosen)" in cli.run("program", "src/gemv.cu").out
    mine = cli.write("mine.cu", (cli.folder / "src" / "gemv.cu").read_text().replace("sum += ", "sum = sum + "))
    ended = cli.run("compare", "src/gemv.cu", mine, "--build", "ninja", "--run", "bin/app 37", "--device", "cpu", "--json")
    assert (ended.code, ended.err) == (0, ""), ended.said  # the record is used again
    assert ended.one("comparison")["verification"]["outcome"] == "PASS"


@pytest.mark.parametrize(
    ("rules", "options", "said"),
    [
        ("app: k.cu\n\tg++ -o app gone.cpp", (), ("make ended with status 2", "gone.cpp: No such file or directory", "try: fix what")),
        ("app:\n\tg++ -o app a.cpp -lnosuch", (), ("cannot find -lnosuch", "try: the library of -lnosuch is not installed here")),
        ("app:\n\t/opt/none/nvcc -o app k.cu", (), ("try: have it start nvcc by its name: make NVCC=nvcc",)),
        ("app:\n\tsleep 60", ("--timeout", "0.5"), ("make did not end within 0.5 s", "try: raise --timeout")),
        ("app:\n\techo done", (), ("make compiled nothing that was seen", "try: name a target that compiles")),
        ("app:\n\tnvcc -c k.cu", (), ("make compiled 1 sources and linked no program", "try: record the target that links")),
        ("app:\n\tnvcc -o app k.cu\n\t./app", (), ("./app was not compiled", "try: the build starts ./app, which needs nvcc")),
        ("app:\n\ttouch $(HOME)/x", (), ("Permission denied", "may write there and to $TMPDIR alone")),
    ],
)
def test_what_goes_wrong_is_said_with_a_remedy(cli: Cli, rules: str, options: tuple[str, ...], said: tuple[str, ...]) -> None:
    cli.write("k.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    cli.write("a.cpp", "int main() {}\n")
    cli.write("Makefile", rules + "\n")
    ended = cli.run("program", "k.cu", "--record", "make", *options)
    assert ended.code == 3, ended.said
    assert all(text in ended.err for text in said), ended.err
    assert not (cli.folder / ".kernelopt").exists()


def test_misuse_is_said_before_anything_runs(cli: Cli) -> None:
    cli.write("k.cu", "__global__ void k() {}\n")
    (cli.folder / "inner").mkdir()
    (cli.folder / "inner" / "kernelopt.toml").touch()
    inner = cli.write("inner/a.cu", "")
    for arguments, message in (
        (("--record", " "), "--record is empty"),
        (("--record", "make 'app"), "cannot be split into words"),
        (("gone.cu", "--record", "make"), "gone.cu does not exist"),
        ((inner, "--record", "make"), f"try: cd {inner.parent}, and give the command there"),
    ):
        ended = cli.run("program", *arguments)
        assert ended.code == 2, ended.said
        assert message in ended.err


def test_a_command_that_the_build_does_not_make_is_refused(cli: Cli) -> None:
    cli = _project(cli, "ninja_two")
    commands = ("check", "src/gemv.cu", "--device", "cpu", "--build", "ninja", "--run")
    assert "ninja links bin/app and bin/bench, not bin/other, which --run starts" in cli.run(*commands, "bin/other").err
    for run in ("python train.py", "/usr/bin/env"):
        ended = cli.run(*commands, run)
        assert ended.code == 3
        assert f"--run {run}: the emulator runs .cu sources, not binaries or scripts" in ended.err
    ended = cli.run("check", "src/app.cu", *commands[2:], "bin/bench")
    assert ended.code == 3
    assert "app.cu is no part of bin/bench, which is linked from src/bench.cu and src/gemv.cu" in ended.err


def test_an_interrupted_recording_leaves_nothing(cli: Cli) -> None:
    cli.write("Makefile", "all:\n\tsleep 66.6271\n")
    process = cli.start("program", "--record", "make")
    wait_for(lambda found: "sleep 66.6271" in found.command and found.name == "sleep", process)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert finish(process).code == 130
    assert cli.left_running() == []
    assert cli.left_behind() == []
