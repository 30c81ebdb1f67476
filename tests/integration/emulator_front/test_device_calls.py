"""Device code that calls host functions is refused, by file, line and name, however it is spelled; what nvcc takes is built."""

from __future__ import annotations

import re
import subprocess
from itertools import cycle, product
from pathlib import Path

import pytest

from assistant.emulator.build import BuildReply, BuildRequest, BuiltProgram, build
from assistant.emulator.device_calls import is_of_device
from assistant.emulator.toolchain import RUNTIME_DIR
from assistant.model.build import BuildFailure
from tests.thorough import first_of, only

MAIN = "int main() { float* o; cudaMalloc(&o, 400); k<<<1, 1>>>(o, 1); return cudaDeviceSynchronize(); }\n"
KERNEL = "__global__ void k(float* o, int n) { o[n] = "

CALLS_THE_HOST = {
    "a function of the file": ("float twice(float x) { return x * 2; }\n" + KERNEL + "twice(n); }\n", 2, "twice(float)"),
    "a static function, through a device function": (
        "static float twice(float x) { return x * 2; }\n__device__ float d(float x) { return twice(x) + 1; }\n" + KERNEL + "d(n); }\n",
        2,
        "twice(float)",
    ),
    "a template": (
        "template <class T> T twice(T x) { return x * 2; }\n" + KERNEL + "twice(1.0f * n); }\n",
        2,
        "float twice<float>(float)",
    ),
    "a template's argument": (
        "#include <cstdlib>\nint shell(const char* c) { return system(c); }\n"
        "template <int (*F)(const char*)> __device__ int call(const char* c) { return F(c); }\n" + KERNEL + 'call<shell>("id"); }\n',
        3,
        "shell(char const*)",
    ),
    "a pointer to a function of the file": (
        "static float twice(float x) { return x * 2; }\n__device__ float (*f)(float) = twice;\n" + KERNEL + "f(n); }\n",
        0,
        "twice(float)",
    ),
    "a pointer to a library's function": (
        "#include <cstdlib>\n" + KERNEL + "1; int (*f)(const char*) = system; o[0] = f(\"id\"); }\n", 2, "system"
    ),
    "a library's function, declared as device code": (
        'extern "C" __device__ int __open(const char*, int, ...);\n' + KERNEL + '__open("/etc/passwd", 0); }\n',
        2,
        "__open",
    ),
    "a library's function under another name": (
        '__device__ int mine(const char*) asm("system");\n' + KERNEL + 'mine("id"); }\n',
        2,
        "system",
    ),
    "a library's function, if there is one": (
        'extern "C" __device__ __attribute__((weak)) int getpid();\n' + KERNEL + "getpid ? getpid() : 0; }\n",
        2,
        "getpid",
    ),
    "another name of a function of the file": (
        'extern "C" int real(const char* c) { return printf("%s", c); }\n'
        'extern "C" __device__ int mine(const char*) __attribute__((alias("real")));\n' + KERNEL + 'mine("id"); }\n',
        3,
        "mine",
    ),
    "a function that is chosen when the program starts": (
        'extern "C" { typedef int F(int); int impl(int x) { return printf("%d", x); } F* pick() { return impl; }\n'
        '__device__ int mine(int) __attribute__((ifunc("pick"))); }\n' + KERNEL + "mine(n); }\n",
        3,
        "mine",
    ),
    "a member of a class": (
        '#include <cstdlib>\nstruct S { int go() { return system("id"); } };\n' + KERNEL + "S().go(); }\n",
        2,
        "system",
    ),
    "a virtual function": (
        '#include <cstdlib>\nstruct B { virtual int go() = 0; }; struct D : B { int go() override { return system("id"); } };\n'
        + KERNEL + "1; D d; B* volatile b = &d; o[0] = b->go(); }\n",
        2,
        "system",
    ),
    "a lambda": ('#include <cstdlib>\nauto go = [](const char* c) { return system(c); };\n' + KERNEL + 'go("id"); }\n', 2, "system"),
    "a built-in function of the host compiler": (KERNEL + "__builtin_fork(); }\n", 1, "fork"),
    "a word put together by a macro": (
        "#include <cstdlib>\n#define CAT(a, b) a##b\n" + KERNEL + 'CAT(sys, tem)("id"); }\n',
        3,
        "system",
    ),
    "a kernel that only a pointer starts": (
        "namespace { namespace d { __global__ void h(float* o) { o[0] = puts(\"\"); } } }\n"
        "void go(float* o) { auto f = &d::h; f<<<1, 1>>>(o); }\n" + KERNEL + "1; }\n",
        1,
        "puts",
    ),
    "the emulator's own launch": (
        'extern "C" __device__ void* emu_malloc(unsigned long, int);\n' + KERNEL + "emu_malloc(4, 0) != nullptr; }\n",
        2,
        "emu_malloc",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "flavour"), only(zip(CALLS_THE_HOST, cycle(["fast", "checked"])), product(CALLS_THE_HOST, ["fast", "checked"]))
)
def test_device_code_that_calls_the_host_is_refused_by_name(kind: str, flavour: str, cache_dir: Path) -> None:
    code, line, name = CALLS_THE_HOST[kind]
    reply = _built(cache_dir, code + MAIN, flavour)
    assert isinstance(reply, BuildFailure), "it was built"
    first = reply.diagnostics[0]
    assert first.message == f'calling a __host__ function("{name}") from device code is not allowed'
    assert first.file == "/user/main.cu" and (first.line == line or line == 0)


def test_a_system_call_in_inline_assembly_is_refused(cache_dir: Path) -> None:
    code = (
        "#define CAT(a, b) a##b\n__device__ long sys(long n)\n{\n  long r;\n"
        '  CAT(__as, m__)("syscall" : "=a"(r) : "0"(n) : "rcx", "r11", "memory");\n  return r;\n}\n'
    )
    reply = _built(cache_dir, code + KERNEL + "sys(39); }\n" + MAIN)
    assert isinstance(reply, BuildFailure)
    assert reply.diagnostics[0].message == "inline assembly in device code makes a system call, which only host code can"


def test_a_macro_that_says_device_only_to_compilers_of_cuda_marks_device_code(cache_dir: Path) -> None:
    code = (
        "#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n"
        "HD inline int at(int x, int y) { return 16 * x + y; }\n"
    )
    assert isinstance(_built(cache_dir, code + KERNEL + "at(1, 2); }\n" + MAIN), BuiltProgram)


def test_bytes_that_only_look_like_a_system_call_are_none(cache_dir: Path) -> None:
    code = "__global__ void k(float* o, int n) { ((volatile int*)o)[n] = 0x80cd050f; }\n"
    assert isinstance(_built(cache_dir, code + MAIN), BuiltProgram)


def test_device_code_cannot_take_the_place_of_what_the_emulator_calls(cache_dir: Path) -> None:
    code = 'extern "C" __device__ long write(int, const void*, unsigned long n) { return n; }\n' + KERNEL + "1; }\n"
    reply = _built(cache_dir, code + MAIN)
    assert isinstance(reply, BuildFailure)
    assert reply.diagnostics[0].message.startswith("write is a function of the C library that the emulator itself needs")


def test_each_line_is_named_once(cache_dir: Path) -> None:
    code = '#include <fstream>\n__global__ void k(float* o, int n) { std::ifstream f("/etc/passwd"); char c; f >> c; o[n] = c; }\n'
    reply = _built(cache_dir, code + MAIN)
    assert isinstance(reply, BuildFailure)
    assert [d.line for d in reply.diagnostics] == [2]


LEGITIMATE = """#include <cuda_fp16.h>
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#define INLINE static __forceinline__
INLINE double weight(int i) { return i * 0.5; }
static int times(int a, int b) { return a * b; }
inline double squared(double x) { return x * x; }
template <class T> T limited(T x) { return x > 100 ? T(100) : x; }
struct Reader {
  std::vector<float> values;
  Reader() { for (int i = 0; i < 8; i++) values.push_back(float(limited(squared(weight(times(i, 2)))))); }
  double total() const { double sum = 0; for (float v : values) sum += weight(1) * v; return sum; }
  virtual ~Reader() { if (getenv("NO_SUCH_VARIABLE")) std::cerr << "x"; }
};

struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { float a; __device__ Square(float a) : a(a) {} __device__ float area() const override { return a * a; } };
__device__ float half_of(float x) { return x / 2; }
__device__ float same(float x) { return x; }
__device__ float (*const table[2])(float) = {half_of, same};
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__host__ __device__ inline float clamped(float x) { return std::min(std::max(x, 0.0f), 10.0f); }
constexpr int cells(int n) { return n * n; }
template <class F> __global__ void apply(float* o, F f) { o[threadIdx.x] = f(o[threadIdx.x]); }
extern "C" __global__ void scale(float* o) { o[0] = powf(o[0], 1.0f) + ldexp(sin(0.0), 3) + lgammaf(1.0f) + __popcll(0); }
namespace { namespace inner { __global__ void hidden(float* o) { o[1] += fmodf(5.0f, 4.0f) - 1.0f; } } }
static __global__ void filed(float* o) { atomicAdd(o + 2, 0.0f); }

__global__ void k(float* o, int n) {
  assert(n > 0);
  std::array<float, 4> a{1, 2, 3, 4};
  float* heap = (float*)malloc(16);
  float* made = new float[4];
  memset(heap, 0, 16);
  memcpy(made, a.data(), 16);
  Square square(2);
  const Shape* volatile shape = &square;
  auto twice = [](float x) { return 2 * x; };
  float first = a[0];
  a[0] = a[1];
  if (threadIdx.x == 0) printf("device %d\\n", fibonacci(6));
  o[threadIdx.x] = clamped(twice(a[0])) + shape->area() + table[threadIdx.x & 1](4.0f) + cells(2) + made[3] + heap[0] + 0 * first
                 + (std::numeric_limits<float>::max() > 1 ? 0 : 1) + __half2float(__float2half(0.0f)) * rsqrtf(4.0f) + __int2float_rn(0);
  free(heap);
  delete[] made;
}

int main() {
  Reader reader;
  std::ofstream none("/dev/null");
  none << reader.total();
  float *o, h[8];
  cudaMalloc(&o, sizeof(h));
  cudaMemcpy(o, reader.values.data(), sizeof(h), cudaMemcpyHostToDevice);
  k<<<1, 2>>>(o, 1);
  float by = 1.0f;
  apply<<<1, 2>>>(o, [=] __host__ __device__(float x) { if (x < 0) printf("negative\\n"); return clamped(x) * by; });
  scale<<<1, 1>>>(o);
  auto start = &inner::hidden;
  start<<<1, 1>>>(o);
  filed<<<1, 1>>>(o);
  cudaMemcpy(h, o, sizeof(h), cudaMemcpyDeviceToHost);
  std::vector<float> sorted(h, h + 8);
  std::sort(sorted.begin(), sorted.end(), [](float a, float b) { return times(1, a < b); });
  printf("%g %g %s\\n", h[0], h[1], std::string("done").c_str());
}
"""


@pytest.mark.parametrize("flavour", first_of(["checked", "fast", "counted"]))
def test_what_cuda_gives_to_device_code_is_built_and_runs(flavour: str, cache_dir: Path) -> None:
    reply = _built(cache_dir, LEGITIMATE, flavour)
    assert isinstance(reply, BuiltProgram), reply
    ran = subprocess.run([str(reply.program)], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "device 8\n10 10 done\n"


def test_device_code_may_call_the_cores_device_operations_and_nothing_else_of_it() -> None:
    text = (RUNTIME_DIR / "abi.h").read_text("utf-8")
    host, device = text.split("// Device operations", 1)
    names = [re.findall(r"^[\w ]*[\w*]\s\**(emu_\w+)\(", part, re.MULTILINE) for part in (host, device)]
    names = [[name for name in part if not name.endswith("_")] for part in names]
    assert len(names[0]) > 15 and len(names[1]) > 25
    assert [name for name in names[0] if is_of_device(name)] == []
    assert [name for name in names[1] if not is_of_device(name)] == []


def test_device_functions_of_another_file_may_be_called(cache_dir: Path) -> None:
    helper = (Path("/user/helper.cu"), "__device__ float helper(float x) { return x * 2; }\n")
    reader = (Path("/user/reader.cu"), '#include <cstdlib>\n__device__ int reader() { return system("id"); }\n')
    main = "extern __device__ float helper(float);\nextern __device__ int reader();\n"
    fine = build(BuildRequest(((Path("/user/main.cu"), main + KERNEL + "helper(n); }\n" + MAIN), helper), cache_dir))
    assert isinstance(fine, BuiltProgram), fine
    refused = build(BuildRequest(((Path("/user/main.cu"), main + KERNEL + "reader(); }\n" + MAIN), reader), cache_dir))
    assert isinstance(refused, BuildFailure)
    assert [(d.file, d.line) for d in refused.diagnostics] == [("/user/reader.cu", 2)]


def _built(cache_dir: Path, text: str, flavour: str = "fast") -> BuildReply:
    return build(BuildRequest(((Path("/user/main.cu"), text),), cache_dir, flavour=flavour))  # type: ignore[arg-type]
