"""PyTorch's operations for the suite's operators of networks and basic algorithms; TF32 is off (`library_run`)."""

# PyTorch is not in every environment, and says little of its types.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.gpu.library_work import Data, Op, Work

__all__ = ["OPS"]

_HEAD = 64
"""Floats of a position in the suite's attention."""
_EPSILON = 1e-5
_K = 8
_BINS = 256


def _sigmoid(data: Data, n: int) -> Work:
    x, y = data.uniform(n, low=-5, high=5), data.empty(n)
    return Work(lambda: torch.sigmoid(x, out=y), lambda: (1 / (1 + torch.exp(-x.double())),))


def _maxpool3d(data: Data, channels: int, side: int) -> Work:
    x = data.uniform(1, channels, side, side, side, low=-0.5, high=0.5)

    def expected() -> tuple[torch.Tensor]:
        windows = x.unfold(2, 3, 2).unfold(3, 3, 2).unfold(4, 3, 2)
        return (windows.amax((-3, -2, -1)),)

    return Work(lambda: functional.max_pool3d(x, 3, stride=2), expected)


def _layernorm(data: Data, rows: int, features: int) -> Work:
    x, gamma, beta = (data.uniform(*shape, low=-1) for shape in ((rows, features), (features,), (features,)))

    def expected() -> tuple[torch.Tensor, ...]:
        average = x.double().mean(1, keepdim=True)
        inverse = 1 / torch.sqrt(((x - average) ** 2).mean(1, keepdim=True) + _EPSILON)
        return (gamma * (x - average) * inverse + beta, average, inverse)

    return Work(lambda: torch.native_layer_norm(x, [features], gamma, beta, _EPSILON), expected)


def _conv2d(data: Data, batch: int, channels: int, side: int) -> Work:
    x = data.uniform(batch, channels, side, side, low=-0.5, high=0.5)
    weights, bias = data.uniform(channels, channels, 3, 3, low=-0.4, high=0.6), data.uniform(channels)

    def expected() -> tuple[torch.Tensor]:
        padded, taps = functional.pad(x.double(), (1, 1, 1, 1)), weights.double()
        found = bias.double().view(1, -1, 1, 1).expand(batch, channels, side, side)
        for r in range(3):
            for s in range(3):
                found = found + torch.einsum("bchw,kc->bkhw", padded[:, :, r : r + side, s : s + side], taps[:, :, r, s])
        return (found,)

    return Work(lambda: functional.conv2d(x, weights, bias, padding=1), expected)


def _attention(data: Data, heads: int, seq: int) -> Work:
    q, k, v = (data.uniform(1, heads, seq, _HEAD, low=low) for low in (-1, -1, 0))

    def expected() -> tuple[torch.Tensor]:
        scores = torch.einsum("bhid,bhjd->bhij", q.double(), k.double()) / _HEAD**0.5
        weights = torch.exp(scores - scores.amax(-1, keepdim=True))
        return (torch.einsum("bhij,bhjd->bhid", weights / weights.sum(-1, keepdim=True), v.double()),)

    return Work(lambda: functional.scaled_dot_product_attention(q, k, v), expected)


def _plain_attention(data: Data, heads: int, seq: int) -> Work:
    work = _attention(data, heads, seq)

    def call() -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            return work.call()

    return work._replace(call=call)


def _mse(data: Data, n: int) -> Work:
    target = data.doubles(n)
    prediction = target + data.uniform(n, dtype=torch.float64, low=-0.06, high=0.06)
    return Work(lambda: functional.mse_loss(prediction, target), lambda: (((prediction - target) ** 2).sum() / n,))


def _transpose(data: Data, rows: int, cols: int) -> Work:
    x, y = data.integers(0, rows * cols, rows, cols), data.empty(cols, rows, dtype=torch.int32)
    at = torch.arange(cols * rows, device=data.device) if rows * cols < 1 << 20 else None

    def expected() -> tuple[torch.Tensor]:
        assert at is not None
        return (x.reshape(-1)[at % rows * cols + at // rows].view(cols, rows),)

    return Work(lambda: y.copy_(x.t()), expected)


def _reverse(data: Data, n: int) -> Work:
    x = data.uniform(n, high=1000003)
    return Work(lambda: torch.flip(x, (0,)), lambda: (x[torch.arange(n - 1, -1, -1, device=data.device)],))


def _relu(data: Data, n: int) -> Work:
    x = data.uniform(n, low=-1)
    return Work(lambda: torch.relu(x), lambda: (torch.where(x > 0, x, 0),))


def _topk(data: Data, users: int, items: int) -> Work:
    scores = data.uniform(users, items)

    def expected() -> tuple[torch.Tensor, ...]:
        best = scores.double().sort(dim=1, descending=True).values[:, :_K]
        return (best, best)

    return Work(lambda: torch.topk(scores, _K, dim=1), expected, lambda found: (found.values, torch.gather(scores, 1, found.indices)))


def _sort(data: Data, n: int) -> Work:
    keys = data.integers(0, 2**31 - 1, n)
    return Work(lambda: torch.sort(keys), lambda: (keys.double().sort().values,), lambda found: (found.values,))


def _copy(data: Data, n: int) -> Work:
    x, y = data.uniform(n, high=1000003), data.empty(n)
    return Work(lambda: y.copy_(x), lambda: (x,))


def _reduction(data: Data, n: int) -> Work:
    x = data.integers(-9, 10, n)
    return Work(lambda: torch.sum(x, dtype=torch.int32), lambda: (x.double().sum(),))


def _dot(data: Data, n: int) -> Work:
    u, v = data.uniform(n, high=3.5), data.uniform(n, low=-2, high=2)
    return Work(lambda: torch.dot(u, v), lambda: ((u * v).double().sum(),))


def _scan(data: Data, n: int) -> Work:
    x = data.integers(-3, 6, n)
    return Work(lambda: torch.cumsum(x, 0, dtype=torch.int32), lambda: (x.double().cumsum(0),))


def _cross_entropy(data: Data, batch: int, classes: int) -> Work:
    logits = data.uniform(batch, classes, low=-4, high=4)
    labels = data.integers(0, classes, batch, dtype=torch.int64)

    def expected() -> tuple[torch.Tensor]:
        exact = logits.double()
        largest = exact.amax(1)
        sums = torch.exp(exact - largest[:, None]).sum(1)
        own = exact[torch.arange(batch, device=data.device), labels]
        return ((largest + torch.log(sums) - own).sum() / batch,)

    return Work(lambda: functional.cross_entropy(logits, labels), expected)


def _histogram(data: Data, size: int) -> Work:
    octets = data.products_of_octets(size)
    bins = torch.arange(_BINS, device=data.device)
    return Work(lambda: torch.bincount(octets, minlength=_BINS), lambda: (torch.stack([(octets == each).sum() for each in bins]),))


def _least_squares(data: Data, count: int) -> Work:
    x = torch.arange(count, device=data.device) * (2.0 / count) - 1
    y = 0.5 - 1.5 * x + 0.25 * x**2 + 2 * x**3 + data.uniform(count, low=-0.05, high=0.05)
    samples = torch.stack((x, y), dim=1)

    def call() -> tuple[torch.Tensor, ...]:
        exact = samples.double()
        powers = torch.linalg.vander(exact[:, 0], N=4)
        return powers.t() @ powers, powers.t() @ exact[:, 1]

    def expected() -> tuple[torch.Tensor, ...]:
        return least_squares_sums(samples)

    def shown(found: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        gram, moments = found
        return torch.cat((gram[0], gram[1:, 3])), moments

    return Work(call, expected, shown)


def least_squares_sums(samples: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The program's seven sums of powers of x, and its four of y times a power."""
    x, y = samples.double().unbind(1)
    return torch.stack([(x**k).sum() for k in range(7)]), torch.stack([(y * x**k).sum() for k in range(4)])


OPS = (
    Op("sigmoid", "torch", "torch.sigmoid(x, out=y)", "float32", _sigmoid),
    Op(
        "maxpool3d", "torch", "max_pool3d(x, 3, stride=2)", "float32", _maxpool3d,
        "also writes the place of each maximum, 8 bytes per output",
    ),
    Op("layernorm", "torch", "native_layer_norm(x, [features], gamma, beta, 1e-5)", "float32", _layernorm),
    Op(
        "conv2d", "cuDNN", "conv2d(x, w, bias, padding=1), cudnn.benchmark on", "float32", _conv2d,
        "cuDNN chooses the algorithm: it may multiply less (Winograd, FFT)",
    ),
    Op(
        "attention", "torch", "scaled_dot_product_attention(q, k, v)", "float32", _attention,
        "one kernel that does not write the scores; its products are three TF32 products each on the tensor cores",
    ),
    Op("attention", "cuBLAS and torch", "scaled_dot_product_attention(q, k, v), SDPBackend.MATH", "float32", _plain_attention),
    Op(
        "mse", "torch", "mse_loss(prediction, target)", "float64", _mse,
        "writes the squares first; the program's host adds what blocks summed",
    ),
    Op("transpose", "torch", "y.copy_(x.t())", "int32", _transpose),
    Op("reverse", "torch", "torch.flip(x, (0,))", "float32", _reverse, "into another array; the program swaps in place"),
    Op("relu", "torch", "torch.relu(x)", "float32", _relu),
    Op("topk", "torch", "torch.topk(scores, 8, dim=1)", "float32", _topk, "places as int64, in an array of their own"),
    Op("sort", "torch", "torch.sort(keys)", "int32", _sort, "into another array, and with the place of each key, int64"),
    Op("copy", "torch", "y.copy_(x)", "float32", _copy),
    Op("reduction", "torch", "torch.sum(x, dtype=torch.int32)", "int32", _reduction),
    Op(
        "dot", "cuBLAS", "torch.dot(u, v)", "float32", _dot,
        "sums in float; the program sums in double, and its host adds what blocks summed",
    ),
    Op("scan", "torch", "torch.cumsum(x, 0, dtype=torch.int32)", "int32", _scan, "inclusive; the program's is exclusive"),
    Op(
        "cross_entropy", "torch", "cross_entropy(logits, labels)", "float32", _cross_entropy,
        "labels are int64; writes the logarithms of all probabilities first",
    ),
    Op(
        "histogram", "torch", "torch.bincount(octets, minlength=256)", "uint8", _histogram,
        "counts in int64; looks for the largest value first and waits for it on the host", is_graphed=False,
    ),
    Op(
        "least_squares", "cuBLAS and torch", "v = linalg.vander(x.double(), N=4); v.T @ v; v.T @ y", "float32, sums in float64",
        _least_squares, "writes the powers first; the program's host adds what blocks summed",
    ),
)  # fmt: skip
"""In the suite's order."""
