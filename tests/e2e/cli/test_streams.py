"""What is read and where output goes: closed and full streams, locales with few characters, texts that are no UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DEADLINE_S, Cli, quick_text
from tests.thorough import first_of

TRANSPOSE = quick_text()
FEW_CHARACTERS = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LATIN_1_BESIDE_THE_EDIT = TRANSPOSE.replace("int x =", "/* caf\xe9 */ int x =")
ENCODINGS = {
    "Latin-1 with mixed line ends and no last one": (LATIN_1_BESIDE_THE_EDIT.replace("\n", "\r\n", 3) + "// Gr\xf6\xdfe").encode("latin-1"),
    "a byte order mark with CRLF": b"\xef\xbb\xbf" + TRANSPOSE.encode().replace(b"\n", b"\r\n"),
}


def shell(cli: Cli, redirection: str, *arguments: object, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """The command as a shell starts it; what is said is read as bytes."""
    command = ("sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "assistant", *map(str, arguments))
    return subprocess.run(command, capture_output=True, cwd=cli.folder, env=cli.environment() | variables, timeout=DEADLINE_S, check=False)


def check_calm(ended: subprocess.CompletedProcess[bytes]) -> None:
    assert b"Traceback" not in ended.stderr and b"internal error" not in ended.stderr, ended.stderr.decode()


@pytest.mark.parametrize(
    "arguments", first_of([["inspect", "transpose.cu", "--json"], ["proposals"], ["--help"], ["inspect", "transpose.cu"]])
)
def test_a_full_disk_behind_the_output_is_one_sentence(cli: Cli, arguments: list[str]) -> None:
    cli.quick()
    ended = shell(cli, "> /dev/full", *arguments)
    check_calm(ended)
    assert ended.returncode == 3
    assert ended.stderr.count(b"error: the output cannot be written: No space left on device") == 1
    assert shell(cli, "> /dev/full 2> /dev/full", *arguments).returncode == 3


@pytest.mark.parametrize("redirection", first_of([">&- 2>&- <&-", ">&-", "2>&-", "<&-"]))
def test_closed_streams_change_no_answer(cli: Cli, redirection: str) -> None:
    cli.quick()
    ended = shell(cli, redirection, "inspect", "transpose.cu")
    check_calm(ended)
    assert ended.returncode == 0
    assert shell(cli, redirection, "inspect", "missing.cu").returncode == 2
    assert [path.name for path in cli.folder.iterdir()] == ["transpose.cu"]


def test_a_locale_with_few_characters_is_written_with_those(cli: Cli) -> None:
    path = cli.folder / "gr\xf6\xdfe.cu"
    path.write_text(TRANSPOSE)
    ended = shell(cli, "", "inspect", path, **FEW_CHARACTERS)
    check_calm(ended)
    assert ended.returncode == 0 and "·".encode() not in ended.stdout
    assert os.fsencode(path.name) in ended.stdout, "a name is written as the folder has it"
    ended = shell(cli, "", "inspect", path, "--json", **FEW_CHARACTERS)
    assert ended.returncode == 0 and ended.stdout.isascii()
    assert [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("data", first_of(ENCODINGS.values()), ids=ENCODINGS)
def test_every_byte_outside_the_edit_stays(cli: Cli, data: bytes) -> None:
    """An edit next to a comment that is no UTF-8 shows it: as it is for people and `patch`, escaped in JSON."""
    path = cli.folder / "transpose.cu"
    path.write_bytes(data)
    ended = shell(cli, "", "optimize", path, "--json", "--accept", "none")
    check_calm(ended)
    found = [json.loads(line) for line in ended.stdout.decode("utf-8").splitlines()]
    (proposal,) = (event for event in found if event["event"] == "proposal")
    shown = shell(cli, "", "show", proposal["id"])
    check_calm(shown)
    is_no_text = b"caf\xe9" in data
    assert ("caf\udce9" in proposal["diff"]) == (b"caf\xe9" in shown.stdout) == is_no_text
    assert cli.run("accept", proposal["id"]).code == 0
    accepted = path.read_bytes()
    kept = [line for line in data.splitlines(keepends=True) if b"out[x * height + y]" not in line]
    rest = iter(accepted.splitlines(keepends=True))
    assert all(any(line == found for found in rest) for line in kept), "each other line is there as it was, in this order"
    assert cli.run("check", path).code == 0
    assert cli.run("undo", proposal["id"]).code == 0
    assert path.read_bytes() == data


def test_what_is_no_file_is_refused_at_once(cli: Cli) -> None:
    os.mkfifo(cli.folder / "pipe.cu")
    for name, target in {"zero.cu": "/dev/zero", "loop.cu": "loop.cu", "gone.cu": "nowhere"}.items():
        (cli.folder / name).symlink_to(target)
    with Path(cli.folder / "huge.cu").open("wb") as huge:
        huge.truncate(3 << 30)
    words = {
        "pipe.cu": "a named pipe",
        "zero.cu": "a device",
        "loop.cu": "symbolic link",
        "gone.cu": "does not exist",
        "huge.cu": "are read",
    }
    endless = ("pipe.cu", "zero.cu")  # to a process that opens them
    for command, names in {"inspect": words, **dict.fromkeys(("check", "profile", "optimize", "init"), endless)}.items():
        for name in names:
            ended = cli.run(command, cli.folder / name)
            assert (ended.code, ended.err.count("error:")) == (2, 1) and words[name] in ended.err, (command, name, ended.said)
