"""Which kernel a search goes on with where its own is gone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate import Evaluation
from assistant.engine.search.successors import kernel_in
from assistant.model.source import Source

FILE = Path("/w/a.cu")
MAIN = "int main() {{ {0} }}\n"


def evaluated(**kernels: tuple[str, float]) -> Evaluation:
    """Kernels by name, each with its statement and its time."""
    texts = [f"__global__ void {name}(float *x) {{ {statement} }}\n" for name, (statement, _) in kernels.items()]
    launches = " ".join(f"{name}<<<1, 32>>>(nullptr);" for name in kernels)
    parsed = parse(Source(FILE, "".join(texts) + MAIN.format(launches)))
    items = [SimpleNamespace(kernel=kernel, predicted_time_s=kernels[kernel.name][1]) for kernel in parsed.kernels]
    version = SimpleNamespace(parsed=parsed, files=(parsed,), others=(), source=parsed.source, sources=(parsed.source,))
    return Evaluation(cast("Any", version), cast("Any", None), cast("Any", SimpleNamespace(kernels=tuple(items))))


START = evaluated(k1=("x[0] = 1;", 2.0), k2=("x[1] = 2;", 1.0), k3=("x[2] = 3;", 9.0))


@pytest.mark.parametrize(
    ("version", "found"),
    [
        (START, "k1"),
        (evaluated(k1=("x[0] = 5;", 1.0), new=("x[1] = 2;", 3.0)), "k1"),
        (evaluated(k12=("x[0] = 1; x[1] = 2;", 2.0), k3=("x[2] = 3;", 9.0)), "k12"),
        (evaluated(first=("x[0] = 1;", 1.0), second=("x[0] += 1;", 4.0), k3=("x[2] = 3;", 9.0)), "second"),
        (evaluated(k2=("x[0] = 1; x[1] = 2;", 2.0), k3=("x[2] = 3;", 9.0)), "k2"),
        (evaluated(), "k1"),
    ],
    ids=["the same", "still there", "fused", "split", "fused into another", "gone"],
)
def test_a_search_goes_on_with_what_took_the_place_of_its_kernel(version: Evaluation, found: str) -> None:
    assert kernel_in("k1", START, version) == found
