"""What the worker finds of tools and rights, on root folders made for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.device.survey import survey


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("proc/driver/nvidia", "proc/self", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(("flag", "expected"), [("0", False), ("1", True), (None, None)])
def test_whether_counters_are_restricted_is_the_drivers_word(root: Path, flag: str | None, expected: bool | None) -> None:
    if flag is not None:
        (root / "proc/driver/nvidia/params").write_text(f"ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: {flag}\n", "utf-8")
    assert survey({"PATH": ""}, root).is_restricted is expected


@pytest.mark.parametrize(("held", "expected"), [("0000000000000000", False), ("0000000000200000", True), ("0000004000000000", True)])
def test_who_may_read_them_all_the_same_is_known_by_capabilities(root: Path, held: str, expected: bool) -> None:
    (root / "proc/self/status").write_text(f"Name:\tpython\nCapEff:\t{held}\n", "utf-8")
    assert survey({"PATH": ""}, root).is_administrator is expected


def test_wsl_is_known_by_its_kernel(root: Path) -> None:
    assert not survey({"PATH": ""}, root).is_wsl
    (root / "proc/version").write_text("Linux version 5.15.153.1-microsoft-standard-WSL2", "utf-8")
    assert survey({"PATH": ""}, root).is_wsl


def test_tools_are_found_where_they_are(root: Path) -> None:
    for name in ("ncu", "compute-sanitizer"):
        (root / "bin" / name).write_text("", "utf-8")
        (root / "bin" / name).chmod(0o755)
    found = survey({"PATH": str(root / "bin")}, root)
    assert (found.ncu, found.sanitizer) == (str(root / "bin/ncu"), str(root / "bin/compute-sanitizer"))
