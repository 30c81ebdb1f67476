"""``make bench``: every figure, as Markdown on standard output."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from benchmarks import counters_vs_h200, emulator_speed, jupyter, language_server, latency


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        os.environ["KERNELOPT_HOME"] = folder
        print("## Counters against the H200\n", flush=True)
        counters_vs_h200.main()
        print("\n## Latency\n", flush=True)
        print(latency.report(cache), flush=True)
        print("\n## Language server\n", flush=True)
        print(asyncio.run(language_server.report()), flush=True)
        print("\n## Notebooks\n", flush=True)
        print(jupyter.report(cache), flush=True)
        print("\n## Emulator speed\n", flush=True)
        print(asyncio.run(emulator_speed.report(cache)), flush=True)


if __name__ == "__main__":
    main()
