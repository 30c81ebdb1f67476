"""What Nsight Compute prints, read: launches by kernel and shape, medians over runs."""

from __future__ import annotations

import pytest

from benchmarks.gpu.ncu_times import TIME, Launch, Shape, bare, launches_of, shape_times

_PRINTED = """\
==PROF== Connected to process 4711 (/home/user/blur.out)
==PROF== Profiling "blur" - 0: 0%....50%....100% - 1 pass
==PROF== Profiling "scale" - 1: 0%....50%....100% - 1 pass
sum: 1,024
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name",\
"Metric Name","Metric Unit","Metric Value"
"0","4711","blur.out","127.0.0.1","void img::blur<(int)3>(const float *, float *, int)","1","7","(32, 8, 1)","(64, 128, 1)","0","9.0",\
"Command line profiler metrics","gpu__time_duration.sum","ns","21,344"
"0","4711","blur.out","127.0.0.1","void img::blur<(int)3>(const float *, float *, int)","1","7","(32, 8, 1)","(64, 128, 1)","0","9.0",\
"Command line profiler metrics","smsp__cycles_elapsed.avg.per_second","cycle/second","1,755,123,456.70"
"1","4711","blur.out","127.0.0.1","scale(float *, float)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0",\
"Command line profiler metrics","gpu__time_duration.sum","ns","3,008"
"1","4711","blur.out","127.0.0.1","scale(float *, float)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0",\
"Command line profiler metrics","smsp__cycles_elapsed.avg.per_second","","n/a"
"""
_SCALE = Shape("scale", (4096, 1, 1), (256, 1, 1))


def _run(*times_ns: float) -> tuple[Launch, ...]:
    return tuple(Launch("scale(float *, float)", _SCALE.grid, _SCALE.block, {TIME: (time_ns, "ns")}) for time_ns in times_ns)


def test_launches_are_read_below_what_the_program_prints() -> None:
    blur, scale = launches_of(_PRINTED)
    assert (blur.kernel, blur.grid, blur.block) == ("void img::blur<(int)3>(const float *, float *, int)", (64, 128, 1), (32, 8, 1))
    assert blur.metrics == {TIME: (21344.0, "ns"), "smsp__cycles_elapsed.avg.per_second": (1755123456.7, "cycle/second")}
    assert scale.metrics == {TIME: (3008.0, "ns")}, "n/a is no value"


def test_without_a_table_there_are_no_launches() -> None:
    assert launches_of("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters\n") == ()


def test_a_shape_has_the_median_of_its_runs_medians() -> None:
    found = shape_times((_run(1000, 2000, 9000), _run(2100, 2100, 2100), _run(2200, 2200, 2200)))
    assert list(found) == [_SCALE]
    assert found[_SCALE].median_s == pytest.approx(2.1e-6)
    assert found[_SCALE].spread_ratio == pytest.approx(200 / 2100)
    assert found[_SCALE].launch_count == 3


def test_launches_are_grouped_by_kernel_grid_and_block() -> None:
    assert sorted(shape_times((launches_of(_PRINTED),))) == [Shape("blur", (64, 128, 1), (32, 8, 1)), _SCALE]


def test_a_run_in_which_ncu_measured_nothing_is_not_counted() -> None:
    assert shape_times((_run(2000), (), (Launch("scale(float *, float)", _SCALE.grid, _SCALE.block),)))[_SCALE].spread_ratio == 0


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("scale", "scale"),
        ("scale(float *, float)", "scale"),
        ("void a::b::scale<float, (int)3>(T1 *)", "scale"),
        ("void scale<a::pair<int>>(a::pair<int> *)", "scale"),
        ("(anonymous namespace)::scale(float (*)(float))", "scale"),
    ],
)
def test_a_bare_name_has_no_namespace_arguments_or_parameters(kernel: str, name: str) -> None:
    assert bare(kernel) == name
