"""Threads of a block by what a text launches a kernel with."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.plan.tuning.blocks import written_threads

KERNEL = "__global__ void k(float *y) { y[threadIdx.x] = 1; }\n__global__ void other(float *y) { y[0] = 1; }\n"


@pytest.mark.parametrize(
    ("code", "threads"),
    [
        ("#define BS 256\nvoid run(float *y, int n) { k<<<(n + BS - 1) / BS, BS>>>(y); other<<<1, 1024>>>(y); }", 256),
        ("void run(float *y) { dim3 block(32, 8); k<<<1, block>>>(y); k<<<1, 64>>>(y); }", 256),
        ("void run(float *y, int threads) { k<<<1, threads>>>(y); k<<<1, 64>>>(y); }", None),
        ("void run(float *y) { other<<<1, 64>>>(y); }", 1024),
    ],
)
def test_the_launches_of_the_kernel_in_the_text_say_it(code: str, threads: int | None) -> None:
    assert written_threads([parse(Source(Path("a.cu"), KERNEL + code))], "k", 1024) == threads
