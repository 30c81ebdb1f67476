"""What is compiled with installed headers is not kept beyond a change of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.build.includes import installed_headers


@pytest.fixture
def torch(tmp_path: Path) -> Path:
    folder = tmp_path / "torch" / "include"
    (folder / "ATen").mkdir(parents=True)
    (folder / "ATen" / "ATen.h").write_text("#define RELEASE 1\n")
    return folder


def test_a_changed_header_changes_the_digest(torch: Path) -> None:
    flags = (f"-isystem={torch}", "-O3")
    before = installed_headers(flags)
    assert before == installed_headers(flags)
    header = torch / "ATen" / "ATen.h"
    header.write_text("#define RELEASE 2\n")
    os.utime(header, ns=(1, 1))
    assert installed_headers(flags) != before


def test_a_header_that_appears_changes_the_digest(torch: Path) -> None:
    flags = (f"-isystem={torch}",)
    before = installed_headers(flags)
    (torch / "new.h").touch()
    assert installed_headers(flags) != before


def test_flags_without_such_a_folder_have_none(torch: Path) -> None:
    assert installed_headers((f"-I{torch}", "-O3")) == ""
