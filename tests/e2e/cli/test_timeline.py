"""``kernelopt profile`` shows what a program as a whole spends its time on the GPU with, before it looks at a kernel."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.json_events import check_events

TWO_STREAMS = """\
__global__ void relax(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.5f * x[i] + 1.0f;
}
__global__ void norm(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * y[i];
}
int main() {
  const int n = 1 << 14;
  float *x, *y, *host;
  cudaMallocHost(&host, n * sizeof(float));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&x, n * sizeof(float)), cudaMalloc(&y, n * sizeof(float));
  cudaStream_t a, b;
  cudaStreamCreate(&a), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaMemcpyAsync(x, host, n * sizeof(float), cudaMemcpyHostToDevice, a);
  cudaMemsetAsync(y, 0, n * sizeof(float), b);
  for (int k = 0; k < 3; ++k) relax<<<n / 256, 256, 0, a>>>(x, n);
  norm<<<n / 256, 256, 0, b>>>(y, n);
  cudaMemcpyAsync(host, x, n * sizeof(float), cudaMemcpyDeviceToHost, a);
  cudaDeviceSynchronize();
}
"""
MANY = """\
__global__ void tick(int* x) { *x += 1; }
__global__ void tock(int* x) { *x += 2; }
int main() {
  int *x;
  cudaMalloc(&x, sizeof(int)), cudaMemset(x, 0, sizeof(int));
  for (int k = 0; k < COUNT; ++k) tick<<<1, 1>>>(x), tock<<<1, 1>>>(x);
  cudaDeviceSynchronize();
}
"""
NO_LAUNCH = """\
__global__ void never(char* x) { *x = 1; }
int main(int count, char**) {
  static char host[1 << 20];
  char* x;
  cudaMalloc(&x, sizeof host), cudaMemset(x, 0, sizeof host);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  if (count > 9) never<<<1, 1>>>(x);
}
"""


def test_the_program_comes_before_its_kernels_with_every_stream(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", TWO_STREAMS), "--device", "cpu", "--json")
    assert ended.code == 0, ended.said
    check_events(ended)
    names = [event["event"] for event in ended.events]
    assert names.index("timeline") < names.index("profile")
    told = ended.one("timeline")
    timeline = told["timeline"]
    assert timeline["is_predicted"] and told["headline"].startswith("predicted: ") and "performance model" in told["method"]
    counts = {(row["kind"], row["name"], row["direction"]): row["count"] for row in timeline["rows"]}
    assert counts == {
        ("kernel", "relax", None): 3,
        ("kernel", "norm", None): 1,
        ("copy", "", "to_device"): 1,
        ("copy", "", "to_host"): 1,
        ("fill", "", None): 1,
    }
    first, second = timeline["streams"]
    assert (first["kind"], first["count"], second["kind"], second["count"]) == ("blocking", 5, "non_blocking", 2)
    assert [span["name"] or span["direction"] for span in first["spans"]] == ["to_device", "relax", "relax", "relax", "to_host"]
    norm, copied = second["spans"][-1], first["spans"][-1]
    assert norm["start_s"] < copied["start_s"], "what no event holds back does not wait for the other stream"
    assert timeline["busy_s"] + timeline["gap_s"] == pytest.approx(timeline["span_s"])
    assert timeline["busy_s"] <= sum(row["time_s"] for row in timeline["rows"]) + 1e-12


def test_a_person_reads_the_sentence_the_shares_and_the_streams(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", TWO_STREAMS), "--device", "cpu")
    assert ended.code == 0, ended.said
    lines = ended.out.splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith("predicted: "))
    assert "of GPU time is in 2 kernels (relax, norm)" in lines[at] and at < lines.index(
        "  █ kernel (▄ less than half of the time)  ▒ copy  ░ fill  · nothing"
    )
    assert any(line.startswith("GPU timeline of a.cu, predicted: ") for line in lines)
    bars = [line for line in lines if line.startswith("  stream ")]
    assert ["█" in bar or "▄" in bar for bar in bars] == [True, True] and "▒" in bars[0] and "░" in bars[1] and "(non-blocking)" in bars[1]


@pytest.mark.thorough
def test_a_program_of_many_launches_has_a_small_timeline(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", MANY.replace("COUNT", "2000")), "--device", "cpu", "--json")
    told = ended.one("timeline")
    (stream,) = told["timeline"]["streams"]
    assert sum(span["count"] for span in stream["spans"]) == 4001 and len(stream["spans"]) <= 128
    assert {row["name"]: row["note"] for row in told["timeline"]["rows"]}["tick"] == "counted on 512 of 2,000 launches, scaled"


@pytest.mark.thorough
def test_a_program_of_more_launches_than_are_kept_in_order_claims_no_gaps(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", MANY.replace("COUNT", "6000")), "--device", "cpu", "--json")
    told = ended.one("timeline")
    timeline = told["timeline"]
    assert {row["name"]: row["count"] for row in timeline["rows"]} == {"tick": 6000, "tock": 6000, "": 1}
    assert (timeline["gap_s"], timeline["streams"]) == (None, []) and "gaps are not known" in told["headline"]
    assert any(note.startswith("starting 12,001 steps takes 20.4 ms") for note in timeline["notes"])


def test_a_program_that_launches_nothing_has_copies_and_fills(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", NO_LAUNCH), "--device", "cpu", "--json")
    told = ended.one("timeline")
    assert (ended.code, told["timeline"]["kernel_count"]) == (3, 0)
    assert "of GPU time is in copies and fills, and no kernel runs" in told["headline"]


def test_a_launch_counted_in_part_is_scaled_and_says_so(cli: Cli) -> None:
    text = TWO_STREAMS.replace("1 << 14", "1 << 17")
    cli.write("kernelopt.toml", "[run]\nwhole_s = 0.001\n")
    ended = cli.run("profile", cli.write("a.cu", text), "--device", "cpu", "--json")
    timeline = ended.one("timeline")["timeline"]
    assert any("run in part" in note for note in timeline["notes"]), timeline["notes"]
    (row,) = (row for row in timeline["rows"] if row["name"] == "relax")
    assert row["count"] == 3 and row["note"].startswith("counted on ") and row["note"].endswith(", scaled")


@pytest.mark.thorough
def test_a_program_that_only_declares_its_work_has_no_timeline(cli: Cli) -> None:
    path = cli.write("a.cu", TWO_STREAMS[: TWO_STREAMS.index("int main")])
    assert cli.run("init", path, "--kernel", "relax").code == 0
    ended = cli.run("profile", path, "--device", "cpu", "--json")
    assert ended.code == 0 and ended.all("profile") and not ended.all("timeline")


def test_kernels_that_nobody_asked_about_are_in_the_programs_time(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", TWO_STREAMS), "--device", "cpu", "--kernel", "norm", "--json")
    assert {event["kernel"].split("(")[0] for event in ended.all("profile")} == {"norm"}
    assert {row["name"] for row in ended.one("timeline")["timeline"]["rows"]} == {"relax", "norm", ""}


@pytest.mark.thorough
def test_of_several_programs_of_a_header_the_one_that_ran_is_named(cli: Cli) -> None:
    kernels, main = TWO_STREAMS.split("int main", 1)
    header = cli.write("kernels.cuh", f"#pragma once\n{kernels}")
    for name, count in (("one.cu", 1), ("two.cu", 2)):
        cli.write(name, f'#include "kernels.cuh"\nint main{main.replace("k < 3", f"k < {count}")}')
    assert cli.run("program", header, "--use", "two.cu").code == 0
    told = cli.run("profile", header, "--device", "cpu", "--json").one("timeline")
    assert told["program"] == "two.cu"
    assert next(row["count"] for row in told["timeline"]["rows"] if row["name"] == "relax") == 2


@pytest.mark.thorough
def test_a_launch_that_was_not_counted_is_named_and_has_no_time(cli: Cli) -> None:
    text = MANY.replace("COUNT", "1500").replace(", tock<<<1, 1>>>(x);", ";\n  tock<<<1, 1>>>(x);")
    timeline = cli.run("profile", cli.write("a.cu", text), "--device", "cpu", "--json").one("timeline")["timeline"]
    assert {row["name"] for row in timeline["rows"]} == {"tick", ""}
    assert "left out, as nothing of it was counted: 1 launch of tock" in timeline["notes"]


def test_a_refused_launch_is_no_part_of_the_programs_time(cli: Cli) -> None:
    text = TWO_STREAMS.replace("norm<<<n / 256, 256, 0, b>>>(y, n);", "norm<<<n / 256, 2048, 0, b>>>(y, n);")
    ended = cli.run("profile", cli.write("a.cu", text), "--device", "cpu", "--json")
    assert {row["name"] for row in ended.one("timeline")["timeline"]["rows"]} == {"relax", ""}, ended.said
