"""Builds with the real compiler: programs that check themselves, diagnostics, cache, typed failures."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import cycle, product
from pathlib import Path

import pytest

from assistant.emulator.build import BuildReply, BuildRequest, BuiltProgram, CannotPromote, build, reply_to_json, request_from_json
from assistant.emulator.toolchain import Flavour, StorageFailure
from assistant.model.build import BuildFailure, CompilerMissing, is_incomplete
from assistant.serialize import dumps
from assistant.worker.tools import run_tool
from tests.thorough import first_of, only

PROGRAMS = Path(__file__).parents[2] / "data" / "emulator" / "programs"
SOURCES = sorted(PROGRAMS.glob("*.cu"))
PLAIN = frozenset(("attention_online", "block_reduce", "dp_pathfinder", "image_filters", "layernorm_welford", "matmul_tiled"))
PLAIN |= {"particles_soa", "random_montecarlo", "scan_histogram", "shared_memory", "spmv_graph", "stencil_3d"}
"""Their parts of CUDA are those of the examples, which other tests run: thorough."""
RUN_TIMEOUT_S = 60
LARGEST_BYTES = 1_500_000  # without the emulator's own debugging information, which is 2 MB
USUAL_NAMES = """
blocks lane warp rank block tile grid shared half_t fiber count launch kernel thread threads lanes warps stream event device host mask
width height depth size data value values result input output sum total seed state bins hist buffer offset stride begin end next prev
first last left right bytes function entry file line f problem worker report arena pool trace scheduler record options sync memory
stacks requests shadow n N M K A B C x y z w i j k lerp clamp dot cross length distance swap step fract sign saturate timer now array
list map set vector string move copy plus hash less pair get tie partition merge search find fill rotate unique reverse sort equal
reduce transform iota real imag polar hex dec fixed
"""


def check(cache_dir: Path, text: str, **options: object) -> BuildReply:
    return build(BuildRequest(sources=((Path("/user/main.cu"), text),), cache_dir=cache_dir, **options))  # type: ignore[arg-type]


def output_of(program: Path) -> str:
    return subprocess.run([str(program)], capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False).stdout


def messages(reply: BuildReply) -> list[tuple[int, int, str]]:
    assert isinstance(reply, BuildFailure)
    return [(d.line, d.column, d.message) for d in reply.diagnostics]


@pytest.mark.parametrize(
    ("source", "flavour"),
    only([c for c in zip(SOURCES, cycle(["fast", "counted"])) if c[0].stem not in PLAIN], product(SOURCES, ["fast", "counted"])),
    ids=lambda value: getattr(value, "stem", value),
)
def test_a_program_runs_and_passes_its_own_checks(source: Path, flavour: str, cache_dir: Path) -> None:
    reply = build(BuildRequest(sources=((source, source.read_text()),), cache_dir=cache_dir, flavour=flavour))  # type: ignore[arg-type]
    assert isinstance(reply, BuiltProgram), reply
    assert reply.has_main and reply.program.stat().st_size < LARGEST_BYTES
    assert f"{source.stem} PASS" in output_of(reply.program)


def test_an_error_names_the_users_line_and_column(cache_dir: Path) -> None:
    text = "__global__ void k(int* p) { *p = 1; }\nint main() { int* p; k<<<1, 2>>>(p); undeclared(); }\n"
    assert messages(check(cache_dir, text)) == [(2, 38, "'undeclared' was not declared in this scope")]


def test_a_wrong_argument_is_reported_in_the_users_words(cache_dir: Path) -> None:
    reply = messages(check(cache_dir, "__global__ void k(int* p, int n) {}\nint main() { k<<<1, 2>>>(3.5); }\n"))
    assert [(line, "k(int*, int)" in text) for line, _, text in reply] == [(2, True)]
    assert "emu_" not in reply[0][2]


def test_a_missing_header_is_one_error(cache_dir: Path) -> None:
    assert messages(check(cache_dir, '\n#include "nowhere.h"\nint main() {}\n')) == [(2, 10, "nowhere.h: No such file or directory")]


@pytest.mark.parametrize(
    "declaration",
    first_of(["int @; int use() { return @; }", "static int @(int v) { return v; } int use() { return @(3); }", "struct @ { int a; };"]),
    ids=["variable", "function", "struct"],
)
def test_the_usual_names_are_the_users_own(cache_dir: Path, declaration: str) -> None:
    text = "\n".join(_declared(declaration, tuple(USUAL_NAMES.split())))
    assert isinstance(check(cache_dir, f"{text}\nint main() {{}}\n"), BuiltProgram)


def test_names_of_headers_that_the_source_does_not_include_are_the_users_own(cache_dir: Path) -> None:
    text = "#include <iostream>\n#include <vector>\n#include <chrono>\n#include <memory>\n#include <map>\nusing namespace std;\n"
    text += "\n".join(_declared("int @; int use() { return @; }", ("iota", "accumulate", "set", "complex", "setw")))
    reply = check(cache_dir, text + "\n__global__ void k(int* p) { *p = 1; }\nint main() { iota = 3; cout << iota + use0(); }\n")
    assert isinstance(reply, BuiltProgram) and output_of(reply.program) == "6"


def test_a_name_that_an_included_header_declares_is_ambiguous(cache_dir: Path) -> None:
    text = "#include <algorithm>\nusing namespace std;\nint count;\nint main() { return count; }\n"
    line, _, message = messages(check(cache_dir, text))[0]
    assert line == 4 and message.startswith("reference to 'count' is ambiguous")


def _declared(declaration: str, names: tuple[str, ...]) -> list[str]:
    return [declaration.replace("@", name).replace("use()", f"use{i}()") for i, name in enumerate(names)]


def test_requested_kernels_make_a_program_without_main(cache_dir: Path) -> None:
    text = "template <int N> __global__ void t(float* p, const int* q) {}\n"
    text += "namespace n { __global__ void k(int) {} __global__ void k(float) {} }\n"
    reply = check(cache_dir, text, kernels=("t<1>", "n::k(float)", "void t<2>(float*, int const*)", "_ZN1n1kEi"))
    assert isinstance(reply, BuiltProgram)
    assert not reply.has_main


def test_a_kernel_that_does_not_exist_is_reported(cache_dir: Path) -> None:
    reply = messages(check(cache_dir, "__global__ void k(int* p) {}\n", kernels=("other",)))
    assert "'other' was not declared" in reply[0][2]


def test_the_second_build_comes_from_the_cache(cache_dir: Path) -> None:
    text = 'int main() { puts("once"); }\n'
    first, second = check(cache_dir, text), check(cache_dir, text)
    assert isinstance(first, BuiltProgram)
    assert isinstance(second, BuiltProgram)
    assert (first.is_cached, second.is_cached) == (False, True)
    assert first.program == second.program


@pytest.mark.parametrize("flavour", first_of(["fast", "checked"]))
def test_of_several_units_those_that_an_edit_reaches_are_compiled_again(cache_dir: Path, tmp_path: Path, flavour: Flavour) -> None:
    header, main, other = tmp_path / "shared.cuh", tmp_path / "main.cu", tmp_path / "other.cu"
    main_text = '#include "shared.cuh"\n#include <cstdio>\nint main() { printf("%d", other() + START); }\n'

    def built(start: int, value: int) -> tuple[str, int]:
        """What the program prints, and how many objects were kept since."""
        header.write_text(f"// {tmp_path}\n#pragma once\n#define START {start}\nint other();\n")
        texts = ((main, main_text), (other, f'#include "shared.cuh"\nint other() {{ return {value}; }}\n'))
        before = len(list((cache_dir / "objects").glob("*")))
        reply = build(BuildRequest(sources=texts, cache_dir=cache_dir, flavour=flavour))
        assert isinstance(reply, BuiltProgram) and not reply.is_cached
        return output_of(reply.program), len(list((cache_dir / "objects").glob("*"))) - before

    assert built(10, 1) == ("11", 2)
    assert built(10, 2) == ("12", 1), "main.cu was not compiled again"
    assert built(20, 2) == ("22", 2), "both include what was edited"


def test_a_changed_header_is_a_new_program(cache_dir: Path, tmp_path: Path) -> None:
    main, header = tmp_path / "main.cu", tmp_path / "value.cuh"
    text = '#include "value.cuh"\n#include <cstdio>\nint main() { printf("%d", value()); }\n'
    for value in ("1", "2"):
        header.write_text(f"#pragma once\ninline int value() {{ return {value}; }}\n")
        reply = build(BuildRequest(sources=((main, text),), cache_dir=cache_dir))
        assert isinstance(reply, BuiltProgram)
        assert output_of(reply.program) == value


def test_an_unsaved_header_replaces_the_one_on_disk(cache_dir: Path, tmp_path: Path) -> None:
    header = tmp_path / "value.cuh"
    header.write_text("syntax error")
    main = (tmp_path / "main.cu", '#include "value.cuh"\nint main() { printf("%d", VALUE); }\n')
    reply = build(BuildRequest(sources=(main, (header, "#define VALUE 3\n")), cache_dir=cache_dir))
    assert isinstance(reply, BuiltProgram)
    assert output_of(reply.program) == "3"


def test_several_files_are_linked_with_a_kernel_between_them(cache_dir: Path, tmp_path: Path) -> None:
    main = (
        "__global__ void k(int* p, int v = 4);\n"
        "int main() { int *d, h; cudaMalloc(&d, 4); k<<<1, 1>>>(d);\n"
        'cudaMemcpy(&h, d, 4, cudaMemcpyDefault); printf("%d", h); }\n'
    )
    other = "__global__ void k(int* p, int v) { *p = v; }\n"
    reply = build(BuildRequest(sources=((tmp_path / "main.cu", main), (tmp_path / "k.cu", other)), cache_dir=cache_dir))
    assert isinstance(reply, BuiltProgram)
    assert output_of(reply.program) == "4"


def test_libraries_of_others_are_linked_and_found_when_it_runs(cache_dir: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.cpp").write_text(f'extern "C" int {name}() {{ return {len(name)}; }}\n')
    for command in ("g++ -shared -fPIC one.cpp -o libone.so", "g++ -c two.cpp", "ar rc libtwo.a two.o"):
        subprocess.run(command.split(), cwd=tmp_path, check=True)
    text = 'extern "C" int one(); extern "C" int two();\nint main() { printf("%d", one() + two()); }\n'
    reply = check(cache_dir, text, libraries=(f"-L{tmp_path}", "-lone", f"{tmp_path}/libtwo.a"))
    assert isinstance(reply, BuiltProgram), reply
    assert output_of(reply.program) == "6"
    assert isinstance(check(cache_dir, text), BuildFailure), "what is linked is part of what a build is kept by"


OWN_TYPES = """#include <string>
struct uchar4 { int r; std::string name; };
struct float4 { double v[4]; float4 operator+(const float4& o) const { return {{v[0] + o.v[0], v[1], v[2], v[3]}}; } };
class dim3 { public: explicit dim3(int a) : a(a) {} int a; };
static int min(int a, int b) { return a < b ? a : b; }
int host_work(int n) {
  uchar4 u{4, "x"}; float4 f{{1, 2, 3, 4}}; dim3 d(n);
  return u.r + int((f + f).v[0]) + d.a + min(1, 2);
}
"""


@pytest.mark.parametrize("suffix", first_of([".cpp", ".cc"]))
def test_names_of_cuda_are_free_in_a_unit_without_cuda(cache_dir: Path, suffix: str) -> None:
    main = """#include <cstdio>
int host_work(int n);
__global__ void k(float4* p) { p[threadIdx.x].x += 1; }
int main() { float4* p; cudaMalloc(&p, 512); cudaMemset(p, 0, 512); k<<<dim3(1), 32>>>(p); printf("%d", host_work(7)); }
"""
    reply = build(BuildRequest(sources=((Path("/user/main.cu"), main), (Path(f"/user/own{suffix}"), OWN_TYPES)), cache_dir=cache_dir))
    assert isinstance(reply, BuiltProgram), reply
    assert output_of(reply.program) == str(4 + 2 + 7 + 1)


@pytest.mark.parametrize("line", ["#include <cuda_runtime.h>", '#include "vector_types.h"', "cudaStream_t stream;"])
def test_a_host_source_that_uses_cuda_knows_its_names(cache_dir: Path, line: str) -> None:
    sources = ((Path("/user/main.cu"), "int main() {}"), (Path("/user/host.cpp"), f"{line}\nfloat4 f; dim3 d;\n"))
    assert isinstance(build(BuildRequest(sources=sources, cache_dir=cache_dir)), BuiltProgram)


def test_what_no_source_defines_is_named_with_the_line_that_uses_it(cache_dir: Path) -> None:
    text = """double wall_time();
template <class T> T sum(const T* p, int n);
namespace util { struct Timer { void start() const; }; extern int count; }
__global__ void elsewhere(int* p);
int main() {
  double t = wall_time();
  int n = sum<int>(nullptr, 3);
  util::Timer().start();
  elsewhere<<<1, 32>>>(nullptr);
  return wall_time() > t + n + util::count;
}
"""
    reply = check(cache_dir, text)
    used = {message.partition(" is used here, and no given source defines it")[0]: line for line, _, message in messages(reply)}
    assert used == {
        "wall_time()": 6,
        "int sum<int>(int const*, int)": 7,
        "util::Timer::start() const": 8,
        "the kernel elsewhere(int*)": 9,
        "util::count": 10,
    }
    assert isinstance(reply, BuildFailure) and is_incomplete(reply.diagnostics)
    assert {diagnostic.file for diagnostic in reply.diagnostics} == {"/user/main.cu"}


def test_defines_and_include_folders_reach_the_source(cache_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "found.h").write_text("#define FOUND 5\n")
    text = '#include <found.h>\nint main() { printf("%d %d", FOUND, N); }\n'
    reply = check(cache_dir, text, include_dirs=(tmp_path,), defines=("N=6", "EMPTY"))
    assert isinstance(reply, BuiltProgram)
    assert output_of(reply.program) == "5 6"


def test_a_promoted_program_computes_in_double(cache_dir: Path) -> None:
    text = (
        "__global__ void k(float* p) { float t = 1.0f / 3.0f; *p = t + expf(0.1f); }\n"
        "int main() { float *d, h; cudaMalloc(&d, sizeof h); k<<<1, 1>>>(d);\n"
        'cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost); printf("%.12f", h); }\n'
    )
    reply = check(cache_dir, text, promote_float=True)
    assert isinstance(reply, BuiltProgram)
    assert output_of(reply.program) == "1.438504251409"


def test_overloads_that_collide_in_double_cannot_be_promoted(cache_dir: Path) -> None:
    text = "__device__ float f(float x) { return x; }\n__device__ double f(double x) { return x; }\n"
    reply = check(cache_dir, text, promote_float=True, kernels=())
    assert isinstance(reply, CannotPromote)
    assert "redefinition" in reply.reason


def test_without_a_compiler_the_remedy_is_named(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(cache_dir))
    reply = check(cache_dir, "int main() {}\n")
    assert isinstance(reply, CompilerMissing)
    assert "apt install g++" in reply.remedy


def test_a_cache_that_cannot_be_written_is_a_typed_failure() -> None:
    reply = check(Path("/proc/nowhere"), "int main() {}\n")
    assert isinstance(reply, StorageFailure)
    assert "/proc/nowhere" in reply.reason


@pytest.mark.parametrize("size_bytes", first_of([2_000, 40_000, 120_000]))
def test_a_disk_that_is_full_while_compiling_or_linking_is_no_fault_of_the_source(cache_dir: Path, tmp_path: Path, size_bytes: int) -> None:
    """A limit on file sizes stands for the disk; the prelude and the runtime are there already."""
    assert isinstance(check(cache_dir, "int main() {}\n"), BuiltProgram)
    request = tmp_path / "request.json"
    text = f"__global__ void k(int* p) {{ *p = {size_bytes}; }}\nint main() {{ int* p; k<<<1, 2>>>(p); }}\n"
    request.write_text(dumps(BuildRequest(sources=((Path("/user/main.cu"), text),), cache_dir=cache_dir)))
    code = (
        "import resource, sys; from pathlib import Path; from assistant.emulator.build import *; "
        "request = request_from_json(Path(sys.argv[1]).read_text()); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size_bytes}, {size_bytes})); print(reply_to_json(build(request)))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(request)], capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=True)
    reply = json.loads(done.stdout)
    assert (reply["outcome"], reply["reply"].get("is_full")) == ("storage", True), reply


def test_a_compiler_that_meets_a_full_device_raises_what_it_met(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int f() { return 1; }\n")
    (tmp_path / "a.o").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        run_tool(("g++", "-c", str(tmp_path / "a.cpp"), "-o", str(tmp_path / "a.o")))


def test_requests_and_replies_travel_as_json(cache_dir: Path) -> None:
    request = BuildRequest(sources=((Path("/user/main.cu"), "int main() {}\n"),), cache_dir=cache_dir, defines=("A",))
    assert request_from_json(dumps(request)) == request
    assert reply_to_json(build(request)).startswith('{"outcome":"built","reply":{"program":')


UNITS = {
    "ops.cuh": "#pragma once\ntemplate <int N> __global__ void add(int* p);\n__global__ void twice(int* p);\n"
    "__device__ int step(int);\nextern __constant__ int offset;\n",
    "ops.cu": '#include "ops.cuh"\n__constant__ int offset = 3;\n__device__ int step(int n) { return 10 * n; }\n'
    "template <int N> __global__ void add(int* p) { *p += step(N) + offset; }\ntemplate __global__ void add<4>(int*);\n",
    "twice.cu": '#include "ops.cuh"\n__global__ void twice(int* p) { *p *= 2; *p += step(1) + offset; }\n',
    "main.cpp": '#include <cstdio>\n#include <cuda_runtime.h>\n#include "ops.cuh"\nint main() {\n  int *p, n = 0;\n'
    "  cudaMalloc(&p, 4); cudaMemset(p, 0, 4);\n  add<4><<<1, 1>>>(p);\n  twice<<<1, 1>>>(p);\n"
    '  cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);\n  printf("%d\\n", n);\n}\n',
}


def test_units_share_kernels_device_functions_and_constants(cache_dir: Path, tmp_path: Path) -> None:
    for name, text in UNITS.items():
        (tmp_path / name).write_text(text)
    units = tuple((tmp_path / name, text) for name, text in UNITS.items() if not name.endswith(".cuh"))
    reply = build(BuildRequest(sources=units, cache_dir=cache_dir, kernels=("void add<4>(int*)", "twice(int*)")))
    assert isinstance(reply, BuiltProgram), reply
    assert output_of(reply.program) == "99\n"  # (40 + 3) * 2 + 10 + 3


def test_a_header_in_question_replaces_what_the_disk_has(cache_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "k.cuh").write_text("__global__ void k(int* p) { *p = 1; }\n")
    main = (
        '#include <cstdio>\n#include "k.cuh"\nint main() { int *p, n; cudaMalloc(&p, 4); k<<<1, 1>>>(p);\n'
        'cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost); printf("%d\\n", n); }\n'
    )
    header = (tmp_path / "k.cuh", "__global__ void k(int* p) { *p = 2; }\n")
    reply = build(BuildRequest(sources=(header, (tmp_path / "main.cu", main)), cache_dir=cache_dir, kernels=("k(int*)",)))
    assert isinstance(reply, BuiltProgram), reply
    assert output_of(reply.program) == "2\n"


C_MAIN = """
#include <assert.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include "wrap.h"
int main(void) {
  int class = 3, *new;
  struct cudaDeviceProp this;
  assert(class == 3);
  if (cudaGetDeviceProperties(&this, 0) != cudaSuccess || cudaMalloc((void **)&new, sizeof *new) != cudaSuccess) return 1;
  run(new, class);
  cudaMemcpy(&class, new, sizeof class, cudaMemcpyDeviceToHost);
  printf("%d\\n", class);
  return 0;
}
"""
C_HEADER = """
#ifdef __cplusplus
extern "C"
#endif
void run(int *p, int value);
int twice(int value);
"""
WRAPPER = """
#include "wrap.h"
__global__ void set(int* p, int value) { *p = 2 * value; }
extern "C" void run(int* p, int value) { set<<<1, 1>>>(p, value); }
"""


@pytest.mark.parametrize("flavour", first_of(["fast", "checked"]))
def test_a_unit_in_c_is_compiled_as_c(cache_dir: Path, flavour: str) -> None:
    sources = ((Path("/user/wrap.cu"), WRAPPER), (Path("/user/wrap.h"), C_HEADER), (Path("/user/main.c"), C_MAIN))
    reply = build(BuildRequest(sources, cache_dir, flavour=flavour, kernels=("set",)))  # type: ignore[arg-type]
    assert isinstance(reply, BuiltProgram) and reply.has_main
    assert output_of(reply.program) == "6\n"


def test_an_error_in_c_names_the_users_line(cache_dir: Path) -> None:
    sources = (
        (Path("/user/wrap.cu"), WRAPPER),
        (Path("/user/wrap.h"), C_HEADER),
        (Path("/user/main.c"), "int main(void) {\n  missing;\n}"),
    )
    reply = build(BuildRequest(sources, cache_dir))
    assert isinstance(reply, BuildFailure)
    assert [(d.file, d.line) for d in reply.diagnostics] == [("/user/main.c", 2)]


def test_a_kernel_cannot_call_a_function_in_c(cache_dir: Path) -> None:
    kernel = WRAPPER.replace("2 * value", "twice(value)").replace('#include "wrap.h"', 'extern "C" int twice(int);')
    texts = (("wrap.cu", kernel), ("twice.c", "int twice(int value) { return 2 * value; }\nint main(void) { return 0; }"))
    reply = build(BuildRequest(tuple((Path("/user") / name, text) for name, text in texts), cache_dir))
    assert isinstance(reply, BuildFailure)
    assert 'calling a __host__ function("twice")' in reply.diagnostics[0].message
