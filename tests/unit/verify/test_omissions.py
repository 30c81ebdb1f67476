"""Work that B's host leaves out and carries that B's device code loses: labelled where A does the whole, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.host_work import host_work
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.word_arithmetic import word_arithmetic
from assistant.model.source import Source
from assistant.model.verification import Label
from assistant.verify.labels import VersionFacts, detect_labels

WORDS = """struct Ctx { uint32_t nonce; uint64_t counter; };
struct Cipher {
  uint32_t s[16];
  __device__ void init(const Ctx &c, uint64_t blk, uint32_t step) {
    // here
  }
};
__global__ void k(Ctx c, uint32_t *out) { Cipher ci; ci.init(c, threadIdx.x, 3); out[threadIdx.x] = ci.s[12] + ci.s[13]; }
int main() { Ctx c; k<<<1, 32>>>(c, nullptr); }
"""
WHOLE = "uint64_t ctr = c.counter + blk; s[12] = (uint32_t)ctr; s[13] = (uint32_t)(ctr >> 32);"
WORK = """#include <cstdint>
struct Key { uint32_t k[4]; };
__global__ void build(Key key) {}
__global__ void other(Key key) {}
__global__ void use(float *out, int n) {}
__constant__ float taps[16];
static Key last_key;
class Engine {
  float *d_in, *d_out, *table;
  bool built = false;
  int cached = -1;
  cudaGraphExec_t exec = nullptr;
  std::vector<float> last;
  std::map<int, float *> tables;
  bool stale(const Key &k) const { return !built || last_key.k[0] != k.k[0]; }
  void rebuild(Key key) { build<<<1, 32>>>(key); }
 public:
  void run(const Key &key, const std::vector<float> &in, int n, cudaStream_t s) {
    for (int t = 0; t < n; t++) {
      HERE
      use<<<1, 32>>>(d_out, n);
    }
  }
};
int main() {}
"""
ALWAYS = "rebuild(key); cudaMemset(d_out, 0, n); cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice);"
BUILD = "build<<<1, 32>>>(key);"


def version(text: str) -> VersionFacts:
    tree = SyntaxTree(text)
    return VersionFacts(parse(Source(Path("/k.cu"), text)), work=host_work(tree), arithmetic=word_arithmetic(tree))


def check(before: str, after: str) -> tuple[str, int] | None:
    """Message and line of the label."""
    found = [label for label in detect_labels(version(before), version(after)) if label.label is Label.ASSUMPTION]
    return (found[0].message, found[0].line or 0) if found else None


def words(code: str) -> tuple[str, int] | None:
    return check(WORDS.replace("// here", WHOLE), WORDS.replace("// here", code))


def work(code: str, always: str = f"{ALWAYS} {BUILD}") -> tuple[str, int] | None:
    return check(WORK.replace("HERE", always), WORK.replace("HERE", code))


@pytest.mark.parametrize(
    "code",
    [
        "s[12] = (uint32_t)c.counter + (uint32_t)blk; s[13] = (uint32_t)(c.counter >> 32);",
        "s[12] = (uint32_t)c.counter + blk; s[13] = (uint32_t)(c.counter >> 32);",
        "s[13] = c.counter >> 32; s[12] = static_cast<uint32_t>(c.counter) + static_cast<uint32_t>(blk);",
        "uint64_t from = c.counter; uint32_t low = (uint32_t)from; low += (uint32_t)blk; s[12] = low; s[13] = uint32_t(from >> 32);",
        "uint32_t low = c.counter, high = c.counter >> 32; s[12] = low + uint32_t(blk); s[13] = high;",
    ],
)
def test_a_sum_of_low_halves_loses_the_carry(code: str) -> None:
    found = words(code)
    assert found is not None and found[1] == 5 and "in 32 bits, the original in 64" in found[0]


@pytest.mark.parametrize(
    "code",
    [
        "uint64_t sum = c.counter + blk; s[12] = (uint32_t)sum; s[13] = (uint32_t)(sum >> 32);",
        "uint32_t a = (uint32_t)c.counter, low = a + (uint32_t)blk; s[12] = low; s[13] = (uint32_t)(c.counter >> 32) + (low < a);",
        "s[12] = (uint32_t)c.counter + (uint32_t)blk; s[13] = (uint32_t)(c.counter >> 32) + (s[12] < (uint32_t)blk);",
        "uint64_t low = (uint64_t)(uint32_t)c.counter + blk; s[12] = low; s[13] = (uint32_t)(c.counter >> 32) + (uint32_t)(low >> 32);",
        "uint64_t low = (uint32_t)c.counter + blk; s[12] = low; s[13] = (uint32_t)(c.counter >> 32) + (uint32_t)(low >> 32);",
        's[12] = (uint32_t)c.counter; s[13] = c.counter >> 32; asm("add.cc.u32 %0, %0, %1;" : "+r"(s[12]) : "r"(step)); s[12] = s[12] + 0;',
        "s[12] = (uint32_t)c.counter ^ (uint32_t)blk; s[13] = (uint32_t)(c.counter >> 32);",
        "s[12] = (uint32_t)c.counter; s[13] = (uint32_t)(c.counter >> 32);",
        "s[12] = (uint32_t)blk + step; s[13] = (uint32_t)(c.counter >> 32);",
        "uint64_t pair = (uint64_t)step << 32 | c.nonce; s[12] = (uint32_t)pair + step; s[13] = pair >> 32;",
    ],
)
def test_halves_that_keep_the_carry_or_are_no_sum_are_not_labelled(code: str) -> None:
    assert words(code) is None


def test_a_sum_of_low_halves_in_the_original_excuses_one() -> None:
    low = "s[12] = (uint32_t)c.counter + (uint32_t)blk; s[13] = (uint32_t)(c.counter >> 32);"
    before = WORDS.replace("// here", f"{WHOLE} {low}")
    assert check(before, WORDS.replace("// here", low.replace("(uint32_t)blk", "step"))) is None


@pytest.mark.parametrize(
    "code",
    [
        f"if (!built || last_key.k[0] != key.k[0]) {{ {BUILD} built = true; last_key = key; }}",
        f"if (!built) {{ {BUILD} built = true; }}",
        f"if (built == false) {{ built = true; {BUILD} }}",
        f"if (cached != n) {{ {BUILD} cached = n; }}",
        f"if (n > cached) {{ {BUILD} cached = n; }}",
        f"static bool dirty = true; if (dirty) {{ {BUILD} dirty = false; }}",
        f"bool changed = cached != n; cached = n; if (changed) {BUILD}",
        f"if (memcmp(&last_key, &key, sizeof key)) {{ {BUILD} memcpy(&last_key, &key, sizeof key); }}",
        f"if (stale(key)) {{ {BUILD} built = true; last_key = key; }}",
        f"if (cached == n) {{ }} else {{ {BUILD} cached = n; }}",
        f"if (cached == n) continue; {BUILD} cached = n;",
        "if (cached != n) { rebuild(key); cached = n; }",
        f"auto again = [&] {{ {BUILD} }}; if (cached != n) {{ again(); cached = n; }}",
        f"if (tables.find(n) == tables.end()) {{ {BUILD} tables[n] = d_out; }}",
        f"if (!tables.count(n)) {{ {BUILD} tables.emplace(n, d_out); }}",
        f"if (!table) {{ cudaMalloc(&table, 64); {BUILD} }}",
        "if (last_key.k[0] != key.k[0]) { last_key = key; cudaMemcpy(d_in, &last_key, n, cudaMemcpyHostToDevice); }",
        "if (in != last) { cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice); last = in; }",
        "if (!built) { cudaMemset(d_out, 0, n); built = true; }",
    ],
)
def test_work_that_is_done_only_when_something_has_changed_is_an_assumption(code: str) -> None:
    found = work(code)
    assert found is not None and found[1] == 20 and "right only if that condition covers" in found[0]


def test_the_label_names_the_work_and_its_condition() -> None:
    found = work(f"if (!built || last_key.k[0] != key.k[0]) {{\n{BUILD} built = true; last_key = key; }}")
    assert found is not None
    assert found[0] == (
        "launches build only where `!built || last_key.k[0] != key.k[0]` marks its result as out of date: right only if that condition"
        " covers everything that the kernel reads"
    )


def test_a_graph_that_is_captured_once_is_an_assumption() -> None:
    begin, end = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);", "cudaStreamEndCapture(s, &graph);"
    code = f"cudaGraph_t graph; if (!exec) {{ {begin} build<<<1, 32, 0, s>>>(key); {end} cudaGraphInstantiate(&exec, graph, 0); }}"
    found = work(f"{code} cudaGraphLaunch(exec, s);")
    assert found is not None and found[0].startswith("captures build only where `!exec`")


@pytest.mark.parametrize(
    "code",
    [
        BUILD,
        f"if (n > 0) {BUILD}",
        f"if (n <= 0) return; {BUILD}",
        f"if (t == 0) {BUILD}",
        f"if (t >= 2) {{ {BUILD} }}",
        f"if (t % 10 == 0) {{ {BUILD} }}",
        f"cudaError_t error = cudaGetLastError(); if (error == cudaSuccess) {{ {BUILD} error = cudaGetLastError(); }}",
        f"if (cudaSetDevice(0) != cudaSuccess) return; {BUILD} built = true;",
        f"float err = 1; if (err < 1e-6f) break; {BUILD} err = 0;",
        f"if (!built) {{ {BUILD} built = true; }} else {{ {BUILD} }}",
        f"if (built) {{ other<<<1, 32>>>(key); built = false; }} else {{ {BUILD} built = true; }}",
        f"if (!table) cudaMalloc(&table, 64); {BUILD}",
        f"if (n > cached) {{ cudaFree(d_out); cudaMalloc(&d_out, n); cached = n; }} {BUILD}",
        f"if (built) {{ {BUILD} }} built = true;",
        f"if (!built) {{ {BUILD} cudaMemcpy(&built, d_out, 1, cudaMemcpyDeviceToHost); if (n < 3) built = true; }}",
        f"int left = n; if (left > 0) {{ {BUILD} cudaMemcpy(&left, d_out, 4, cudaMemcpyDeviceToHost); }}",
        f"bool once = false; if (!once) {{ {BUILD} once = true; }}",
        "if (!built) { other<<<1, 32>>>(key); built = true; }",
        "if (!built) { cudaMemcpyToSymbol(taps, in.data(), 64); built = true; }",
        "if (!built) { cudaMemcpy(&cached, d_in, 4, cudaMemcpyDeviceToHost); built = true; }",
    ],
)
def test_other_conditions_are_no_assumption(code: str) -> None:
    assert work(code) is None


def test_a_guard_that_the_original_has_as_well_is_no_assumption() -> None:
    guarded = f"if (cached != n) {{ {BUILD} cached = n; }}"
    assert work(f"if (!built || cached != n) {{ {BUILD} cached = n; built = true; }}", always=guarded) is None
