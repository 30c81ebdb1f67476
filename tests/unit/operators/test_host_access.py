"""Host code of an extension that works on tensors itself, which only an emulator lets pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.verification import Outcome
from assistant.operators.evidence import Seen
from assistant.operators.extension_text import Extension, extension_text
from assistant.operators.host_access import HostAccess, host_accesses
from tests.unit.operators.test_judge import codes, evidence, reference

ROOT = Path(__file__).parents[3]
EXTENSION = """\
__global__ void scale(float* y, const float* x, int n) { int i = threadIdx.x; if (i < n) y[i] = 2 * x[i]; }
__device__ float first(const float* x) { return x[0]; }
torch::Tensor scale_of(torch::Tensor x) {
  auto y = torch::empty_like(x);
  float *to = y.data_ptr<float>();
  const float* from = x.data_ptr<float>();
  long sizes[2] = {x.size(0), x.size(1)};
  int n = int(sizes[0] * sizes[1]);
  HERE
  scale<<<1, 128>>>(to, from, n);
  return y;
}
"""


def accesses(code: str) -> list[str]:
    found = host_accesses(EXTENSION.replace("HERE", code), ())
    assert all(access.line == 9 for access in found)
    return sorted(access.name for access in found)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("for (int i = 0; i < n; ++i) to[i] = 2 * from[i];", ["from", "to"]),
        ("*to = 1;", ["to"]),
        ("float a = *from;", ["from"]),
        ("if (n > 3 && *from > 0) n = 3;", ["from"]),
        ("memcpy(to, from, n * sizeof(float));", ["from", "to"]),
        ("std::transform(from, from + n, to, [](float v) { return 2 * v; });", ["from", "to"]),
        ("float a = x.data_ptr<float>()[0];", ["data_ptr"]),
        ("auto p = static_cast<float*>(y.mutable_data_ptr()); p[0] = 1;", ["p"]),
        ("auto q = (float*)y.data_ptr(); q[0] = 1;", ["q"]),
        ("auto r = y.data<float>(); r[0] = 1;", ["r"]),
        ("to[0] = 1; /* at::kCPU */", ["to"]),
        ("auto idle = at::empty({1}, at::kCPU); to[0] = 1;", ["to"]),
        ("auto near = y.to(at::kCPU); float* s = near.data_ptr<float>(); s[0] = 1;", ["s"]),
    ],
)
def test_host_code_that_works_on_tensors_is_found(code: str, names: list[str]) -> None:
    assert accesses(code) == names


@pytest.mark.parametrize(
    "code",
    [
        "",
        "float *more = y.data_ptr<float>(), *further = x.data_ptr<float>(); scale<<<1, 32>>>(more, further, 1);",
        "float* behind = to + n / 2; int count = n * 2;",
        "cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyDeviceToDevice); cudaMemset(to, 0, 4);",
        "std::vector<float> host(n); host[0] = 1; std::fill(host.begin(), host.end(), 0.f); host.data()[1] = 2;",
        "scale<<<dim3(n), 128, 0, at::cuda::getCurrentCUDAStream()>>>(to, from, sizes[0]);",
        "auto table = torch::empty({4}, torch::kCPU); float* t = table.data_ptr<float>(); t[0] = 1;",
        "// to[0] = from[0]",
        'TORCH_CHECK(n > 0, "to[0] is not there");',
    ],
)
def test_pointers_that_are_only_handed_on_are_none(code: str) -> None:
    assert accesses(code) == []


def test_a_launchers_own_pointers_lead_to_tensors_and_a_helpers_need_not() -> None:
    text = "static float top(const float* t) { return t[0]; }\nvoid launch(float* y, const float* x, int n) {\n  y[0] = x[0];\n}\n"
    assert {*host_accesses(text, ("launch",))} == {HostAccess(3, "x"), HostAccess(3, "y")}
    assert host_accesses(text, ()) == ()


def test_the_line_is_that_of_the_unit() -> None:
    text = extension_text(Extension("e", ("int unused;\n", EXTENSION.replace("HERE", "to[0] = 1;")), ("scale_of",)), "int main() {}\n")
    (access,) = text.host_accesses
    assert text.text.splitlines()[access.line - 1].strip() == "to[0] = 1;"
    assert text.place(access.line, "# first\n" + EXTENSION.replace("HERE", "to[0] = 1;")) == 10


def test_it_fails_whatever_the_values_are() -> None:
    assert codes(evidence(reference(1), reference(2), seen=Seen(launch_count=2, host_accesses=(HostAccess(3, "to"),)))) == {
        "host_access": Outcome.FAIL
    }


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/operators/**/*.[cp][uy]")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_example_works_on_tensors_in_host_code(path: Path) -> None:
    text = path.read_text("utf-8")
    parts = text.split('"""')[1::2] if path.suffix == ".py" else [text]
    assert [access for part in parts for access in host_accesses(part, ())] == []
