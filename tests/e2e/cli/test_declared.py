"""Sources without ``main()``: the declared workload, and ``init`` that writes one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.cli.harness import EXAMPLES, Cli
from tests.thorough import first_of

BLUR = (EXAMPLES / "declared_blur.cu").read_text("utf-8").replace("{ n = 256 }, { n = 250,", "{ n = 64 }, { n = 58,")
LIBRARY = """// A library source: no main(), no workload yet.
__global__ void scale(float *out, const float *in, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}
"""


@pytest.fixture
def blur(cli: Cli) -> Path:
    return cli.write("declared_blur.cu", BLUR)


def test_a_declared_workload_is_checked(cli: Cli, blur: Path) -> None:
    ended = cli.run("check", blur, "--json")
    assert ended.code == 0, ended.said
    assert ended.one("check")["launch_count"] >= 2 and ended.one("check")["problems"] == []


@pytest.mark.thorough
def test_every_declared_shape_is_profiled(cli: Cli, blur: Path) -> None:
    ended = cli.run("profile", blur, "--json")
    assert ended.code == 0, ended.said
    assert {tuple(event["grid"]) for event in ended.all("profile")} == {(2, 8, 1)}
    assert len(ended.all("profile")) == 2
    assert blur.read_text("utf-8") == BLUR


@pytest.mark.thorough
def test_an_edit_is_judged_on_declared_and_boundary_shapes(cli: Cli, blur: Path) -> None:
    edited = cli.write("edited.cu", BLUR.replace("if (x >= n || y >= n) return;", "if (!(x < n && y < n)) return;"))
    ended = cli.run("compare", blur, edited, "--json")
    verification = ended.one("comparison")["verification"]
    assert (ended.code, verification["outcome"]) == (0, "PASS"), ended.said
    assert len({case["shape"] for case in verification["cases"]}) > 2


@pytest.mark.thorough
def test_an_edit_that_is_wrong_only_on_other_sizes_is_refused(cli: Cli, blur: Path) -> None:
    """Right at n = 64 and n = 58, wrong where n is not even."""
    edited = cli.write("edited.cu", BLUR.replace("out[y * n + x] = sum / count;", "out[y * n + x] = sum / (count + n % 2);"))
    ended = cli.run("compare", blur, edited, "--json")
    assert ended.code == 1, ended.said
    assert ended.one("comparison")["verification"]["outcome"] == "FAIL"


@pytest.mark.thorough
def test_what_is_too_large_to_be_checked_is_said_in_the_verdict_line(cli: Cli) -> None:
    block = """/* kernelopt
[workload.scale]
args     = { out = "empty(n)", in = "randint(0, 9, n)", factor = "2", n = "n" }
grid     = ["ceil(n/256)"]
block    = [256]
shapes   = [{ n = 1100000 }]
boundary = false
*/
"""
    source = block + LIBRARY.partition("\n")[2].replace("float", "int")
    original, edited = cli.write("large.cu", source), cli.write("edited.cu", source.replace("in[i] * factor", "factor * in[i]"))
    ended = cli.run("compare", original, edited)
    assert ended.code == 0, ended.said
    assert ended.out.count("PASS (races and bounds not checked: the launches are too large)") == 2, "of the kernel, and of all"


@pytest.mark.thorough
def test_a_wrong_halo_is_refused(cli: Cli, blur: Path) -> None:
    edited = cli.write("edited.cu", BLUR.replace("sx >= 0", "sx >= 1"))
    ended = cli.run("compare", blur, edited, "--json")
    codes = {finding["code"] for finding in ended.one("comparison")["verification"]["findings"]}
    assert ended.code == 1 and "wrong_value" in codes


def test_a_sidecar_file_declares_as_a_comment_does(cli: Cli) -> None:
    start, end = BLUR.index("/* kernelopt"), BLUR.index("*/") + 2
    block = BLUR[start:end].removeprefix("/* kernelopt").removesuffix("*/")
    path = cli.write("blur.cu", BLUR[:start] + BLUR[end:])
    cli.write("blur.kernelopt.toml", block)
    ended = cli.run("check", path, "--json")
    assert ended.code == 0, ended.said
    assert ended.one("check")["launch_count"] >= 2


def test_init_writes_a_block_that_check_accepts(cli: Cli) -> None:
    path = cli.write("library.cu", LIBRARY)
    ended = cli.run("init", path)
    assert ended.code == 0, ended.said
    written = path.read_text("utf-8")
    assert "[workload.scale]" in written
    assert written.replace(written[written.index("/* kernelopt") : written.index("*/") + 2], "").split() == LIBRARY.split()
    checked = cli.run("check", path, "--json")
    assert checked.code == 0, checked.said
    assert checked.one("check")["launch_count"] >= 1


def test_init_prints_what_it_would_write(cli: Cli) -> None:
    path = cli.write("library.cu", LIBRARY)
    ended = cli.run("init", path, "--no-write")
    assert ended.code == 0 and "[workload.scale]" in ended.out
    assert path.read_text("utf-8") == LIBRARY


def test_init_does_not_touch_a_file_that_declares_already(cli: Cli, blur: Path) -> None:
    ended = cli.run("init", blur)
    assert ended.code == 2 and "already declares" in ended.err
    assert blur.read_text("utf-8") == BLUR


def test_init_writes_a_block_for_every_kernel_or_for_the_one_that_is_named(cli: Cli) -> None:
    text = LIBRARY + LIBRARY.replace("scale(", "offset(").replace("*", "+", 0)
    path, other = cli.write("library.cu", text), cli.write("other.cu", text)
    assert cli.run("init", path).code == cli.run("init", other, "--kernel", "offset").code == 0
    assert "[workload.scale]" in path.read_text("utf-8") and "[workload.offset]" in path.read_text("utf-8")
    assert "[workload.scale]" not in other.read_text("utf-8") and "[workload.offset]" in other.read_text("utf-8")


@pytest.mark.thorough
def test_a_folder_with_spaces_and_umlauts_works(cli: Cli) -> None:
    folder = cli.folder / "größe und form"
    folder.mkdir()
    path = folder / "weich zeichnen.cu"
    path.write_text(BLUR, "utf-8")
    ended = cli.run("profile", path, "--json")
    assert ended.code == 0, ended.said
    assert {line["file"] for event in ended.all("profile") for line in event["lines"]} == {str(path)}


def test_a_source_reached_by_a_link_is_changed_through_it(cli: Cli) -> None:
    path = cli.write("library.cu", LIBRARY)
    link = cli.folder / "link.cu"
    link.symlink_to(path)
    assert cli.run("init", link).code == 0
    assert link.is_symlink() and "[workload.scale]" in path.read_text("utf-8")


def test_a_file_is_found_from_another_folder(cli: Cli, blur: Path) -> None:
    elsewhere = cli.folder / "elsewhere"
    elsewhere.mkdir()
    ended = cli.run("inspect", Path("..") / blur.name, folder=elsewhere)
    assert ended.code == 0, ended.said
    assert subprocess.run(["ls", "-A", elsewhere], capture_output=True, text=True, check=True).stdout == ""


STRUCT = """/* kernelopt
[workload.scale]
args   = { out = "empty(n)", in = "randn(n)", p = { factor = "2", shift = "1", n = "n" } }
grid   = "ceil(n/128)"
block  = 128
shapes = [{ n = 1024 }, { n = 1000 }]
*/
struct Params { float factor, shift; int n; };
__global__ void scale(float *out, const float *in, Params p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) out[i] = in[i] * p.factor + p.shift;
}
"""
BESIDE_MAIN = """/* kernelopt
[workload.twice]
args   = { out = "empty(n)", in = "randn(n)", n = "n" }
grid   = "ceil(n/128)"
block  = 128
shapes = [{ n = 1000 }]
*/
__global__ void twice(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2.0f;
}
int main()
{
    float host[256], *in, *out;
    for (int i = 0; i < 256; ++i) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<2, 128>>>(out, in, 256);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    return host[1] == 2.0f ? 0 : 1;
}
"""
"""The program's own launch fills its grid; only the declared shape has threads behind the end."""


@pytest.mark.thorough
def test_every_declared_shape_has_its_own_number_name_and_findings(cli: Cli, blur: Path) -> None:
    profiles = cli.run("profile", blur, "--json").all("profile")
    assert sorted(event["launch"] for event in profiles) == [0, 1]
    assert {event["shape"] for event in profiles} == {"n=64", "n=58"}
    ids = [fact["id"] for event in profiles for fact in event["evidence"]]
    assert len(set(ids)) == len(ids)
    for event in profiles:
        cited = {identity for finding in event["findings"] for identity in finding["evidence"]}
        assert cited <= {fact["id"] for fact in event["evidence"]}


@pytest.mark.thorough
def test_a_struct_is_passed_by_value(cli: Cli) -> None:
    path = cli.write("scale.cu", STRUCT)
    ended = cli.run("check", path, "--json")
    assert (ended.code, ended.one("check")["problems"]) == (0, []), ended.said
    wrong = cli.write("wrong.cu", STRUCT.replace("+ p.shift", "- p.shift"))
    assert cli.run("compare", path, wrong, "--json").one("comparison")["verification"]["outcome"] == "FAIL"


def test_a_struct_that_is_not_plain_is_named(cli: Cli) -> None:
    ended = cli.run("check", cli.write("scale.cu", STRUCT.replace("float factor, shift;", "float factor, shift, more[2];")))
    assert ended.code == 3 and "the layout of Params is not known" in ended.said


@pytest.mark.thorough
def test_check_looks_at_the_program_and_at_the_declared_shapes(cli: Cli) -> None:
    path = cli.write("both.cu", BESIDE_MAIN.replace("if (i < n) out", "out"))
    checked = cli.run("check", path, "--json")
    assert checked.code == 1, checked.said
    assert {problem["kind"] for problem in checked.one("check")["problems"]} == {"out_of_bounds"}
    assert checked.one("check")["launch_count"] == 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new"),
    first_of(
        [
            ("* 2.0f", "* (n == 256 ? 2.0f : 3.0f)"),  # wrong on the declared shape only
            ("* 2.0f", "* (n == 256 && i == 3 ? 3.0f : 2.0f)"),  # wrong in the program only
        ]
    ),
)
def test_of_a_program_and_declared_shapes_the_worse_outcome_stands(cli: Cli, old: str, new: str) -> None:
    a, b = cli.write("a.cu", BESIDE_MAIN), cli.write("b.cu", BESIDE_MAIN.replace(old, new))
    ended = cli.run("compare", a, b, "--json")
    verification = ended.one("comparison")["verification"]
    assert (ended.code, verification["outcome"]) == (1, "FAIL"), ended.said
    assert {"recorded", "declared"} <= {case["kind"] for case in verification["cases"]}


TWO_STEPS = """/* kernelopt
[workload.two]
args   = { x = "randn(n)", half = "empty(n)", z = "empty(n)" }
shapes = [{ n = 500 }]
steps  = [
  { kernel = "halve", grid = "ceil(n/128)", block = 128, args = { out = "half", in = "x", n = "n" } },
  { kernel = "raise", grid = "ceil(n/128)", block = 128, args = { out = "z", in = "half", n = "n" } },
]
boundary = false
outputs = ["z"]
scratch = ["half"]
*/
__global__ void halve(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * in[i];
}
__global__ void raise(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}
"""


@pytest.mark.thorough
def test_outputs_and_scratch_of_steps_go_by_the_blocks_own_names(cli: Cli) -> None:
    """What stands in the scratch buffer may change as long as the output is the same."""
    source = cli.write("two.cu", TWO_STEPS)
    moved = TWO_STEPS.replace("out[i] = 0.5f * in[i]", "out[i] = in[i]").replace("out[i] = in[i] + 1.0f", "out[i] = 0.5f * in[i] + 1.0f")
    wrong = TWO_STEPS.replace("in[i] + 1.0f", "in[i] + 2.0f")
    outcomes = [
        cli.run("compare", source, cli.write(name, text), "--json").all("comparison")[-1]["verification"]["outcome"]
        for name, text in (("moved.cu", moved), ("wrong.cu", wrong))
    ]
    assert outcomes == ["PASS", "FAIL"]


def test_init_writes_no_block_that_could_not_be_used(cli: Cli) -> None:
    text = "struct P { float x, y; };\n__global__ void k(float *out, const P *p, int n)\n{\n    out[threadIdx.x] = p[n].x;\n}\n"
    path = cli.write("structs.cu", text)
    ended = cli.run("init", path)
    assert ended.code == 3, ended.said
    assert "p (const P *)" in ended.err and "main()" in ended.err
    assert path.read_text("utf-8") == text


def test_init_says_what_is_left_to_fill_in(cli: Cli) -> None:
    text = "struct P { float x; int n; };\n__global__ void k(float *out, P p)\n{\n    out[threadIdx.x] = p.x;\n}\n"
    ended = cli.run("init", cli.write("by_value.cu", text))
    assert ended.code == 0 and "fill in first: p = 0 is a placeholder for a P: write a table of its fields" in ended.out, ended.said
