"""Where compilers of a program find CUTLASS."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.build.cutlass_place import find_cutlass

VERSION_H = "#pragma once\n#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 1\n"


@pytest.fixture
def include(tmp_path: Path) -> Path:
    (tmp_path / "include/cutlass").mkdir(parents=True)
    (tmp_path / "include/cutlass/version.h").write_text(VERSION_H, "utf-8")
    return tmp_path / "include"


def release(*flags: str, folder: Path = Path("/"), **environment: str) -> str | None:
    found = find_cutlass(flags, folder, environment)
    return found.release if found else None


def test_the_flags_the_environment_and_nvccs_own_flags_are_looked_at(include: Path) -> None:
    assert release("-O3", "-Iinclude", folder=include.parent) == "4.2.1"
    assert release(CPATH=f"/nowhere:{include}") == "4.2.1"
    assert release(NVCC_APPEND_FLAGS=f"-isystem {include}") == "4.2.1"


def test_no_release_is_named_where_none_is_found(include: Path) -> None:
    assert release("-I.", folder=include.parent, CPATH="", NVCC_APPEND_FLAGS="'") is None
    (include / "cutlass/version.h").write_text("not a version", "utf-8")
    assert release("-Iinclude", folder=include.parent) is None


def test_a_pipe_in_its_place_is_not_waited_for(include: Path) -> None:
    (include / "cutlass/version.h").unlink()
    os.mkfifo(include / "cutlass/version.h")
    assert release("-Iinclude", folder=include.parent) is None


def test_its_headers_are_known_from_others_beside_them(include: Path) -> None:
    found = find_cutlass(("-Iinclude",), include.parent, {})
    assert found is not None
    assert found.holds(f"{include}/cute/tensor.hpp") and found.holds(f"{include}/cutlass/../cutlass/cutlass.h")
    assert not found.holds(f"{include}/secret.h") and not found.holds(f"{include}/cutlass/../secret.h")
