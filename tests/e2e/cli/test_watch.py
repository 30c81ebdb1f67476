"""``kernelopt watch``: each save is answered with what became of it, failures first of all."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.cli.harness import COMMAND, DEADLINE_S, Cli, no_orphans

KERNEL = """\
#include <cstdio>
__global__ void grow(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 2.0f * v[i] + 1.0f;
}
"""
MAIN = """\
int main()
{
    const int n = 5000;
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemset(v, 0, n * sizeof(float));
    grow<<<(n + 127) / 128, 128>>>(v, n);
    float first;
    cudaMemcpy(&first, v, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g\\n", first);
    ENDS
}
"""
RIGHT = KERNEL + MAIN.replace("ENDS", "return 0;")


def test_what_a_save_came_to_is_said_whatever_it_was(cli: Cli) -> None:
    with watched(cli) as save:
        broken = save((KERNEL + MAIN.replace("ENDS", "return 0;")).replace("1.0f;", "1.0f"), "does not compile")
        assert "grow.cu:6:1: error" in broken
        assert "no problem found" in save(RIGHT, "checked: no problem found")
        failed = save(KERNEL + MAIN.replace("ENDS", "return 3;"), "the program ended with status 3")
        assert "try: make it succeed by itself first" in failed
        assert failed.count("the program ended with status 3") == 1, "two stages say the same"
        crashed = save(KERNEL + MAIN.replace("ENDS", "std::fflush(stdout); *(volatile int *)0 = 1; return 0;"), "SIGSEGV")
        assert "try: make it run by itself first" in crashed
        alone = save(KERNEL, "No program runs these kernels")
        assert "grow: not run" in alone and "no problem found" not in alone
        assert "does not compile" in save(RIGHT.replace("1.0f;", "1.0f"), "does not compile: line")
        assert "grow.cu is empty" in save("", "empty")
        assert "no kernel in it" in save("int main() { return 0; }\n", "no kernel")


@contextmanager
def watched(cli: Cli) -> Generator[Callable[[str, str], str]]:
    """Saves ``grow.cu`` and gives what is printed until the words are there, and what follows at once."""
    said = cli.folder.parent / "watch.out"
    with no_orphans(), said.open("w") as out:
        process = subprocess.Popen((*COMMAND, "watch", str(cli.folder)), cwd=cli.folder, env=cli.environment(), stdout=out, stderr=out)

        def save(text: str, words: str) -> str:
            before = len(said.read_text())
            cli.write("grow.cu", text)
            return _awaited(said, before, words)

        try:
            _awaited(said, 0, "watching")
            yield save
        finally:
            os.kill(process.pid, signal.SIGINT)
            process.wait(DEADLINE_S)


def _awaited(file: Path, before: int, words: str) -> str:
    deadline = time.monotonic() + DEADLINE_S
    while words not in file.read_text()[before:]:
        assert time.monotonic() < deadline, file.read_text()
        time.sleep(0.1)
    time.sleep(0.5)  # the rest of the paragraph
    return file.read_text()[before:]
