"""Kernels that rules write, beside PyTorch: ``python -m benchmarks.gpu.first_kernels [--out FILE] [--only NAME …]``.

Each task at a real size: the kernel that rules write for it is built, held against eager once (nothing else is judged here), and timed in
turns with eager and ``torch.compile``, as a candidate is. The kernels that each baseline runs are named. Needs a PyTorch for CUDA in this
Python, and nvcc.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assistant.engine.operators import graph_of
from assistant.operators.first_kernel import FirstKernel, first_kernel
from assistant.operators.launcher import Launcher, find_launcher
from assistant.operators.task import Task, find_task
from assistant.serialize import encode

ROOT = Path(__file__).parents[2]
_WAYS = ("compile",)
_TIMED_S = 2.0
_NEAR = 2e-3
"""Of the largest result: wrong kernels are off by far more, sums in another order by less."""
TASKS = {
    "mean_dim0": ("x", "x.mean(0)", "x = 16384, 2048"),
    "transposed_add": ("x, y", "x.t() + y", "x = 8192, 8192; y = 8192, 8192"),
    "masked_softmax": ("x, m", "torch.softmax(x.masked_fill(m > 0.0, -float('inf')), -1)", "x = 16384, 2048; m = 16384, 2048"),
    "norm_of_rows": ("x", "x / x.norm(dim=-1, keepdim=True)", "x = 16384, 8192"),
    "norm_of_all": ("x", "x / x.norm()", "x = 16384, 8192"),
    "layer_norm": ("x", "F.layer_norm(x, (768,))", "x = 32768, 768"),
    "channels_rms": ("x", "x / (x.pow(2).mean(1, keepdim=True) + 1e-5).sqrt()", "x = 16, 64, 256, 256"),
    "group_norm": ("x", "F.group_norm(x, 8)", "x = 16, 64, 256, 256"),
    "softmax": ("x", "torch.softmax(x, -1)", "x = 4096, 16384"),
    "deviation": ("x", "x.std(-1)", "x = 16384, 4096"),
    "gated_silu": ("x", "F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1]", "x = 8192, 4096"),
    "cross_entropy": ("x, k", "F.cross_entropy(x, k)", "x = 8192, 4096; k: 8192, 4096"),
    "turned_pairs": (
        "x, c, s",
        "torch.stack((x[..., ::2] * c - x[..., 1::2] * s, x[..., ::2] * s + x[..., 1::2] * c), -1).flatten(-2)",
        "x = 8, 32, 2048, 128; c = 2048, 64; s = 2048, 64",
    ),
    "part_of_softmax": ("x", "torch.softmax(x, -1)[:, :1000]", "x = 16384, 2048"),
}
"""The arguments of ``forward``, what it returns, and the shapes; ``k: rows, classes`` are class numbers."""
_TRACED = """
import json, sys
from pathlib import Path
from assistant.torch_worker.side.operators import run

path = Path(sys.argv[1])
print(json.dumps(run({"path": str(path), "class": "Model", "folder": str(path.parent), "sizes": {}, "seed": 3}, path.parent)))
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.first_kernels")
    parser.add_argument("--out", type=Path, default=Path(".kernelopt/bench-gpu/first-kernels.json"))
    parser.add_argument("--only", nargs="+", choices=sorted(TASKS), default=list(TASKS))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        places = {name: _task_file(name, Path(folder)) for name in options.only}
        with ThreadPoolExecutor(8) as pool:
            texts = dict(zip(places, pool.map(kernel_text, places.values()), strict=True))
        for name, path in places.items():
            try:
                row = _measured(path, texts[name])
            except Exception as error:  # noqa: BLE001 - one task that fails keeps no other from its times
                row = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
            rows.append({"name": name, **row})
            options.out.write_text(json.dumps(rows, indent=1), "utf-8")
            print(kernels_row(rows[-1]), flush=True)


def _task_file(name: str, folder: Path) -> Path:
    place = folder / name
    place.mkdir()
    path = place / "task.py"
    path.write_text(task_text(name), "utf-8")
    return path


def task_text(name: str) -> str:
    arguments, returned, shapes = TASKS[name]
    made = []
    for shape in shapes.split("; "):
        if "=" in shape:
            made.append(f"torch.randn({shape.partition(' = ')[2]})")
        else:
            rows, classes = shape.partition(": ")[2].split(", ")
            made.append(f"torch.randint(0, {classes}, ({rows},))")
    return (
        "import torch\nimport torch.nn.functional as F\n\n\nclass Model(torch.nn.Module):\n"
        f"    def forward(self, {arguments}):\n        return {returned}\n\n\n"
        f"def get_inputs():\n    return [{', '.join(made)}]\n\n\ndef get_init_inputs():\n    return []\n"
    )


def kernel_text(path: Path) -> str:
    """What rules write; from a process of its own, as tracing has PyTorch seem to have no GPU. Raises ValueError where they decline."""
    command = (sys.executable, "-P", "-c", _TRACED, str(path))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    answer: dict[str, Any] = json.loads(done.stdout)
    task = find_task(path, path.read_text("utf-8"), None)
    assert isinstance(task, Task), task
    found = first_kernel(graph_of(answer), task.name, task.parameters)
    if not isinstance(found, FirstKernel):
        raise ValueError(f"{path.parent.name}: {found.reason}")
    return found.text


def _measured(path: Path, text: str) -> dict[str, Any]:
    import torch

    from assistant.disk.gpu_lease import Lease, lock_folder
    from assistant.operators.timing import compared
    from assistant.torch_worker.side.contenders import CANDIDATE, EAGER, Contender, contender
    from assistant.torch_worker.side.timing import Clock, kernels_of, turns
    from assistant.torch_worker.side.trace import Trace

    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    module = _module(path)
    torch.manual_seed(1)
    inputs = [value.cuda() for value in module.get_inputs()]
    with torch.no_grad():
        model = module.Model().cuda()
        made = [contender(EAGER, model, inputs), *(contender(way, module.Model().cuda(), inputs) for way in _WAYS)]
        made.append(contender(CANDIDATE, _launched(path.with_name("kernel.cu"), text), inputs))
        ready = [each for each in made if isinstance(each, Contender)]
        left = [tuple(each) for each in made if not isinstance(each, Contender)]
        if CANDIDATE not in {each.name for each in ready}:
            raise RuntimeError(f"the kernel does not run: {left}")
        expected, actual = (next(each for each in ready if each.name == name).call() for name in (EAGER, CANDIDATE))
        off = float((expected.double() - actual.double()).abs().nan_to_num(0.0).max() / expected.double().abs().nan_to_num(0.0).max())
        trace = Trace(frozenset(), with_copies=True)
        kernels = {each.name: kernels_of(trace, each) for each in ready}
        clock = Clock()
        with Lease(f"GPU-{torch.cuda.get_device_properties(0).uuid}", lock_folder()).held(alone=True):
            rounds = turns(clock, ready, lambda: None, random.Random(7), _TIMED_S)
    answer = {
        "names": [each.name for each in ready], "left_out": left, "wrong": [], "replaced": [], "kernels": kernels, "alone_s": 1.0,
        "settings": {}, "device": torch.cuda.get_device_name(), "torch": torch.__version__, "rounds": rounds,
    }  # fmt: skip
    found = compared(answer, 7)
    times = {each.name: [each.call_s, each.device_s] for each in found.times}
    over = {each.baseline: _words(each) for each in found.ratios}
    return {"is_near": off <= _NEAR, "off": off, "times": times, "over": over, "left_out": left, "kernels": kernels, "method": found.method}


def _words(ratio: Any) -> dict[str, list[Any]]:
    return {kind: [str(each.outcome), each.ratio, each.low, each.high] for kind, each in (("call", ratio.call), ("device", ratio.device))}


def _launched(path: Path, text: str) -> Any:
    """A module around the kernel's launcher, as the judge makes it."""
    import torch

    from assistant.torch_worker.side.launched import launched_model

    path.write_text(text, "utf-8")
    launcher = find_launcher(path, text)
    assert isinstance(launcher, Launcher), launcher
    encoded = encode(launcher)
    table = encoded | {name: dict(encoded[name]) for name in ("inputs", "outputs", "types", "weights")}
    major, minor = torch.cuda.get_device_capability()
    os.environ["TORCH_CUDA_ARCH_LIST"] = f"{major}.{minor}"
    os.environ["TORCH_EXTENSIONS_DIR"] = str(path.parent)
    place: Any = SimpleNamespace(is_gpu=True, device=torch.device("cuda"))
    return launched_model(table, str(path), place)()


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"task_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kernels_row(row: dict[str, Any]) -> str:
    """A line of Markdown: calls in microseconds, ratios with their intervals, and what torch.compile runs."""
    if "error" in row:
        return f"| {row['name']} | {row['error']} |"
    times = " | ".join(f"{row['times'][name][0] * 1e6:.1f}" if name in row["times"] else "–" for name in ("eager", "compile", "candidate"))
    over = " | ".join(_ratio(row["over"].get(name)) for name in ("eager", "compile"))
    ran = ", ".join(f"{kernel['name']} {kernel['time_s'] * 1e6:.1f}" for kernel in row["kernels"].get("compile", ())[:3])
    return f"| {row['name']} | {'right' if row['is_near'] else 'WRONG'} | {times} | {over} | {ran} |"


def _ratio(over: dict[str, list[Any]] | None) -> str:
    if over is None:
        return "–"
    outcome, ratio, low, high = over["call"]
    return f"{outcome} {ratio:.2f}x ({low:.2f} to {high:.2f}), device {over['device'][1]:.2f}x"


if __name__ == "__main__":
    main()
