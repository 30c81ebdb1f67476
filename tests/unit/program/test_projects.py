"""The programs of small projects that are laid out as people lay them out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.program.conftest import PROJECTS, Project

_THREE = ["main.cu", "fill.cu", "sums.cu"]
_DRIVER = ["tests/driver.cu", "kernels/dot.cu", "kernels/saxpy.cu"]
_HOST = ["main.cpp", "solver.cu", "args.cpp"]
_BLUR = ["apps/demo.cu", "kernels/blur_cols.cu", "kernels/blur_rows.cu"]
_VECTORS = ["src/main.cu", "src/axpy.cu"]
_FILTER = ["main.cu", "filter.cu", "weights.cu"]
_HISTOGRAM = ["app/main.cpp", "src/histogram.cu"]
_TOOL = ["app/main.cpp", "lib/src/buffer.cpp", "lib/src/blur.cu", "lib/src/stats.cu", "app/pgm.cpp", "lib/src/taps.cu"]
_BENCH = ["bench/bench.cu"]
_TRANSPOSES = [["bench_transpose.cu"], ["check_transpose.cu"]]


@pytest.mark.parametrize(
    ("name", "file", "units"),
    [
        ("header_kernel", "scale.cuh", [["main.cu"]]),
        ("header_kernel", "main.cu", [["main.cu"]]),
        ("c_main", "wrap.cu", [["main.c", "helper.c", "wrap.cu"]]),
        ("three_units", "main.cu", [_THREE]),
        ("three_units", "sums.cu", [_THREE]),
        ("three_units", "launchers.h", [_THREE]),
        ("three_units", "unused.cu", []),
        ("shared_header", "common.cuh", _TRANSPOSES),
        ("shared_header", "check_transpose.cu", _TRANSPOSES[1:]),
        ("library_with_driver", "kernels/dot.cu", [_DRIVER]),
        ("library_with_driver", "kernels/threads.h", [_DRIVER]),
        ("library_with_driver", "tests/driver.cu", [_DRIVER]),
        ("include_and_src", "src/axpy.cu", [_VECTORS]),
        ("include_and_src", "include/vec/config.hpp", [_VECTORS]),
        ("instantiated_template", "scan.cuh", [["main.cu", "scan_inst.cu"]]),
        ("instantiated_template", "main.cu", [["main.cu", "scan_inst.cu"]]),
        ("host_cpp", "solver.cu", [_HOST]),
        ("host_cpp", "args.hpp", [_HOST]),
        ("cu_includes_cu", "kernels.cu", [["main.cu"]]),
        ("cu_includes_cu", "types.inl", [["main.cu"]]),
        ("compile_database", "src/device/bins.cuh", [_HISTOGRAM]),
        ("compile_database", "app/main.cpp", [_HISTOGRAM]),
        ("configured", "kernels/window.cuh", [_BLUR, _BLUR]),
        ("two_backends", "backends/fast/invert.cu", []),
        ("main_in_comments", "stencil.cuh", [["app.cu"]]),
        ("main_in_comments", "old.cu", []),
        ("main_in_comments", "commented_include.cu", [["commented_include.cu"]]),
        ("old_encoding", "quadrat.h", [["main.cu", "melde.cpp"]]),
        ("device_link", "weights.cuh", [_FILTER]),
        ("device_link", "weights.cu", [_FILTER]),
        ("guarded_main", "gemv.cu", [["main.cu", "gemv.cu"]]),
        ("shell_script", "smooth.cu", [["main.cu", "smooth.cu"]]),
        ("ninja_two", "src/gemv.cu", [["src/app.cu", "src/gemv.cu", "src/rows.c"], ["src/bench.cu", "src/gemv.cu"]]),
        ("cmake_header", "include/vec/scale.cuh", [["bench/bench.cu", "bench/check.cpp"]]),
        ("cmake_targets", "lib/src/blur.cu", [_TOOL]),
        ("cmake_targets", "lib/include/imgk/reduce.cuh", [_TOOL, _BENCH]),
    ],
)
def test_a_file_belongs_to_these_programs(copied: Callable[[str], Project], name: str, file: str, units: list[list[str]]) -> None:
    assert copied(name).units(file) == units


def test_every_project_is_tested() -> None:
    assert {path.name for path in PROJECTS.iterdir()} == {
        *(
            "cmake_header",
            "header_kernel",
            "three_units",
            "shared_header",
            "library_with_driver",
            "include_and_src",
            "instantiated_template",
            "host_cpp",
        ),
        *("cu_includes_cu", "compile_database", "configured", "two_backends", "main_in_comments", "old_encoding", "device_link"),
        *("guarded_main", "makefile_library", "shell_script", "ninja_two", "cmake_header", "cmake_targets", "c_main"),
        # tests/unit/program/test_extensions.py
        *("torch_dispatch_ops", "torch_env_flags", "torch_glob_sources", "torch_inline", "torch_jit_headers", "torch_setup_and_load"),
    }


@pytest.mark.parametrize(
    ("name", "file", "why"),
    [
        ("three_units", "sums.cu", "main.cu uses launch_fill of fill.cu and launch_sums of sums.cu"),
        ("header_kernel", "scale.cuh", "main.cu includes scale.cuh"),
        ("header_kernel", "main.cu", "main.cu has main()"),
        ("cu_includes_cu", "types.inl", "main.cu includes types.inl through kernels.cu"),
        ("device_link", "weights.cu", "main.cu uses filter of filter.cu; filter.cu uses weighted of weights.cu"),
        ("instantiated_template", "scan.cuh", "main.cu uses Plan::Plan of scan_inst.cu; scan_inst.cu includes scan.cuh"),
    ],
)
def test_it_is_said_what_makes_the_files_one_program(copied: Callable[[str], Project], name: str, file: str, why: str) -> None:
    assert copied(name).one(file).why == why


def test_folders_for_includes_that_no_flag_names_become_flags(copied: Callable[[str], Project]) -> None:
    project = copied("include_and_src")
    assert project.one("src/axpy.cu").flags == (f"-I{project.root}/include",)
    assert project.one("src/axpy.cu", flags=(f"-I{project.root}/include",)).flags == ()
    assert project.one("src/axpy.cu", flags=("-Iinclude",)).flags == ()


def test_names_that_two_units_define_equally_near_are_said(copied: Callable[[str], Project]) -> None:
    project = copied("two_backends")
    both = "backends/fast/invert.cu and backends/plain/invert.cu"
    text = f"backend_name and invert, used by main.cu, are defined in {both}: no one of them is nearer"
    assert text in project.find("backends/fast/invert.cu").looked_for
    search = project.find("main.cu")
    assert text in search.found[0].why
    assert search.problem.startswith(text)
    assert "name the sources" in search.problem


def test_a_main_that_needs_a_macro_counts_where_it_is_defined(copied: Callable[[str], Project]) -> None:
    project = copied("guarded_main")
    assert project.units("gemv.cu", flags=("-DGEMV_STANDALONE",)) == [["gemv.cu"]]
    (project.root / "main.cu").unlink()
    assert project.find("gemv.cu").found == ()
