"""How PyTorch's operators are timed, against other timers: ``python -m benchmarks.gpu.operators [--out FILE] [--only NAME …]``.

Each of the twenty tasks of ``examples/operators`` at a real size, run eagerly and as ``torch.compile`` makes it, by default and with
``max-autotune``: our call time beside ``torch.utils.benchmark.Timer``, our device time beside Triton's ``do_bench``. Each way is there
twice, so that the same comparison that a candidate gets is made of equals. Needs a PyTorch for CUDA in this Python.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples" / "operators"
_SIZES: dict[str, dict[str, int]] = {
    "attention": {"batch_size": 4, "heads": 8, "length": 1024, "dim": 64},
    "cross_entropy": {"batch_size": 8192, "classes": 4096},
    "smooth_l1": {"batch_size": 4096, "values": 4096},
    "bias_gelu_residual": {"rows": 8192, "columns": 2048},
    "clamped_mix": {"batch_size": 256, "length": 65536},
    "fake_quantize": {"rows": 8192, "columns": 2048},
    "gated_silu": {"tokens": 8192, "hidden": 2048},
    "scaled_silu": {"rows": 8192, "columns": 2048},
    "causal_conv1d": {"batch_size": 16, "channels": 512, "length": 4096},
    "conv2d_relu": {"batch_size": 32, "in_channels": 32, "out_channels": 64, "height": 112, "width": 112},
    "max_pool": {"batch_size": 32, "channels": 64, "height": 112, "width": 112},
    "capped_scores": {"heads": 16, "length": 1024, "dim": 64},
    "linear_relu": {"batch_size": 4096, "in_features": 2048, "out_features": 2048},
    "low_rank_update": {"tokens": 8192, "width": 2048, "rank": 16},
    "matvec_softplus": {"inputs": 8192, "outputs": 8192},
    "column_stats": {"rows": 16384, "columns": 1024},
    "layer_norm": {"tokens": 8192, "width": 2048},
    "rms_norm_residual": {"tokens": 8192, "width": 2048},
    "row_softmax": {"rows": 8192, "columns": 2048},
    "top_index": {"rows": 8192, "words": 2048},
}
_WAYS = ("eager", "compile", "max-autotune")
_AGAIN = " again"


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.operators")
    parser.add_argument("--out", type=Path, default=Path(".kernelopt/bench-gpu/operators.json"))
    parser.add_argument("--only", nargs="+", choices=sorted(_SIZES), default=list(_SIZES))
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=list(_WAYS))
    parser.add_argument("--small", action="store_true", help="at the sizes of the tasks' own texts")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for name in options.only:
        rows += _measured(name, {} if options.small else _SIZES[name], options.ways)
        options.out.write_text(json.dumps(rows), "utf-8")
    print(operators_table(rows))


def _measured(name: str, sizes: dict[str, int], ways: list[str]) -> list[dict[str, Any]]:
    import torch
    from torch.utils.benchmark import Timer
    from triton.testing import do_bench

    from assistant.disk.gpu_lease import Lease, lock_folder
    from assistant.operators.timing import compared
    from assistant.torch_worker.side.contenders import Contender, Left, contender
    from assistant.torch_worker.side.timing import Clock, turns

    torch.set_num_threads(1)  # as Timer does: what PyTorch compiled for another number of threads it compiles anew
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    module = _module(name)
    for key, value in sizes.items():
        setattr(module, key, value)
    torch.manual_seed(1)
    inputs = [value.cuda() if isinstance(value, torch.Tensor) else value for value in module.get_inputs()]
    init = module.get_init_inputs()

    def model() -> Any:
        torch.manual_seed(1)
        return module.Model(*init).cuda()

    with torch.no_grad():
        made = [(way, contender(way, model(), inputs)) for way in ways]
        ready = [each for _, each in made if isinstance(each, Contender)]
        left = [(way, each.reason) for way, each in made if isinstance(each, Left)]
        again = [Contender(each.name + _AGAIN, each.call) for each in ready]
        clock = Clock()
        uuid = f"GPU-{torch.cuda.get_device_properties(0).uuid}"
        with Lease(uuid, lock_folder()).held(alone=True):
            rounds = turns(clock, [*ready, *again], lambda: None, random.Random(7), 3.0)
            others = {
                each.name: (_timer_s(Timer, each.call), do_bench(each.call, warmup=25, rep=150, return_mode="median") * 1e-3)
                for each in ready
            }
    found = []
    for each in ready:
        answer = {
            "names": ["eager", "candidate"], "left_out": left, "wrong": [], "replaced": [], "kernels": {}, "alone_s": 1.0, "settings": {},
            "device": torch.cuda.get_device_name(), "torch": torch.__version__,
            "rounds": [{"eager": times[each.name], "candidate": times[each.name + _AGAIN]} for times in rounds],
        }  # fmt: skip
        timing = compared(answer, 7)
        ratio = timing.ratios[0]
        found.append({
            "name": name, "way": each.name, "device": torch.cuda.get_device_name(), "torch": torch.__version__, "rounds": len(rounds),
            "call_s": timing.times[0].call_s, "device_s": timing.times[0].device_s,
            "timer_s": others[each.name][0], "do_bench_s": others[each.name][1],
            "again": {"call": _words(ratio.call), "device": _words(ratio.device)}, "left_out": left,
        })  # fmt: skip
    return found


def _timer_s(timer: Any, call: Any) -> float:
    return timer("call()", globals={"call": call}).blocked_autorange(min_run_time=0.3).median


def _words(comparison: Any) -> list[Any]:
    return [str(comparison.outcome), comparison.ratio, comparison.low, comparison.high, comparison.margin]


def _module(name: str) -> Any:
    (path,) = EXAMPLES.glob(f"*/{name}/task.py")
    spec = importlib.util.spec_from_file_location(f"task_{name}_{os.getpid()}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def operators_table(rows: list[dict[str, Any]]) -> str:
    """Markdown: both of our times beside the other timer's, and what equals were told apart as."""
    lines = [
        "| task | way | call, µs | `Timer`, µs | ratio | device, µs | `do_bench`, µs | ratio | again: call, device |",
        "|" + "---|" * 9,
    ]
    for row in rows:
        call, timer, device, bench = (row[key] * 1e6 for key in ("call_s", "timer_s", "device_s", "do_bench_s"))
        again = ", ".join(f"{row['again'][kind][0]} {row['again'][kind][1]:.3f}x" for kind in ("call", "device"))
        lines.append(
            f"| {row['name']} | {row['way']} | {call:.1f} | {timer:.1f} | {call / timer:.3f} | {device:.1f} | {bench:.1f} | "
            f"{device / bench:.3f} | {again} |"
        )
    outcomes = [row["again"][kind][0] for row in rows for kind in ("call", "device")]
    wrong = sum(outcome in ("FASTER", "SLOWER") for outcome in outcomes)
    return "\n".join([*lines, "", f"Equals told apart: {wrong} of {len(outcomes)}."])


if __name__ == "__main__":
    main()
