"""cuBLAS, cuSOLVER and cuDNN, by PyTorch and by themselves, for the suite's linear algebra and stencils; TF32 is off (`library_run`).

Data that a call updates in place goes on from call to call, as in the program's own kernels; no time depends on its values.
"""

# PyTorch is not in every environment, and says little of its types.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import ctypes
from pathlib import Path

import torch
from torch.nn import functional

from benchmarks.gpu.library_work import Data, Op, Work

__all__ = ["OPS"]

_EPS = 0.005
"""Deviations up to this are taken as 1 by the suite's correlation."""
_UPPER, _TRANSPOSED = 1, 1
"""``CUBLAS_FILL_MODE_UPPER`` and ``CUBLAS_OP_T`` of cublas_api.h; a row-major lower triangle is a column-major upper one."""
_FP64_NOTE = "cuBLAS may use the double tensor cores"


def _sums(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Products of rows of ``a`` and columns of ``b`` added up, in double precision, for small matrices."""
    return (a.double()[:, :, None] * b.double()[None, :, :]).sum(1)


def _matmul(data: Data, n: int) -> Work:
    a, b, c = data.uniform(n, n), data.uniform(n, n), data.empty(n, n)
    return Work(lambda: torch.mm(a, b, out=c), lambda: (_sums(a, b),))


def _two_products(data: Data, n: int) -> Work:
    a, b, c, d = (data.uniform(n, n) for _ in range(4))
    middle = data.empty(n, n)

    def call() -> torch.Tensor:
        torch.mm(a, b, out=middle)
        return d.addmm_(middle, c, beta=1.2, alpha=1.5)

    return Work(call, lambda: (1.5 * _sums(_sums(a, b), c) + 1.2 * d.double(),))


def _three_products(data: Data, n: int) -> Work:
    a, b, c, d = (data.doubles(n, n) for _ in range(4))
    e, f, g = (data.empty(n, n, dtype=torch.float64) for _ in range(3))

    def call() -> torch.Tensor:
        torch.mm(a, b, out=e)
        torch.mm(c, d, out=f)
        return torch.mm(e, f, out=g)

    return Work(call, lambda: (_sums(_sums(a, b), _sums(c, d)),))


def _atax(data: Data, m: int, n: int) -> Work:
    a, x, middle, y = data.uniform(m, n), data.uniform(n, low=1, high=2), data.empty(m), data.empty(n)

    def call() -> torch.Tensor:
        torch.mv(a, x, out=middle)
        return torch.mv(a.t(), middle, out=y)

    return Work(call, lambda: ((a.double() * (a.double() * x).sum(1)[:, None]).sum(0),))


def _bicg(data: Data, rows: int, cols: int) -> Work:
    a, p, r = data.doubles(rows, cols), data.doubles(cols), data.doubles(rows)
    q, s = data.empty(rows, dtype=torch.float64), data.empty(cols, dtype=torch.float64)
    return Work(
        lambda: (torch.mv(a, p, out=q), torch.mv(a.t(), r, out=s)), lambda: ((a * p).sum(1), (a * r[:, None]).sum(0))
    )  # fmt: skip


def _mvt(data: Data, n: int) -> Work:
    a, x1, x2, y1, y2 = data.uniform(n, n), *(data.uniform(n) for _ in range(4))

    def expected() -> tuple[torch.Tensor, ...]:
        exact = a.double()
        return x1 + (exact * y1).sum(1), x2 + (exact * y2[:, None]).sum(0)

    return Work(lambda: (x1.addmv_(a, y1), x2.addmv_(a.t(), y2)), expected)


def _gemver(data: Data, n: int, *, is_by_gemm: bool) -> Work:
    a, u, v, y, z = data.doubles(n, n), data.doubles(n, 2), data.doubles(2, n), data.doubles(n), data.doubles(n)
    x, w = (torch.zeros(n, dtype=torch.float64, device=data.device) for _ in range(2))
    (u1, u2), (v1, v2) = (column.contiguous() for column in u.t()), v.unbind(0)

    def call() -> tuple[torch.Tensor, ...]:
        if is_by_gemm:
            a.addmm_(u, v)
        else:
            a.addr_(u1, v1)
            a.addr_(u2, v2)
        x.addmv_(a.t(), y, alpha=1.2)
        x.add_(z)
        return a, x, w.addmv_(a, x, alpha=1.5)

    def expected() -> tuple[torch.Tensor, ...]:
        updated = a + u1[:, None] * v1 + u2[:, None] * v2
        found = x + (1.2 * updated * y[:, None]).sum(0) + z
        return updated, found, w + (1.5 * updated * found).sum(1)

    return Work(call, expected)


def _gemver_by_addr(data: Data, n: int) -> Work:
    return _gemver(data, n, is_by_gemm=False)


def _gemver_by_gemm(data: Data, n: int) -> Work:
    return _gemver(data, n, is_by_gemm=True)


def _gesummv(data: Data, n: int) -> Work:
    a, b, x, y = data.uniform(n, n), data.uniform(n, n), data.uniform(n), data.empty(n)

    def call() -> torch.Tensor:
        torch.mv(a, x, out=y)
        return y.addmv_(b, x, beta=0.75, alpha=0.25)

    return Work(call, lambda: (0.75 * (a.double() * x).sum(1) + 0.25 * (b.double() * x).sum(1),))


def _syrk(data: Data, n: int, m: int) -> Work:
    a, c = data.uniform(n, m, low=-0.4, high=0.6), data.uniform(n, n)
    return Work(
        lambda: c.addmm_(a, a.t(), beta=1.2, alpha=1.5), lambda: ((1.5 * _sums(a, a.t()) + 1.2 * c).tril(),), lambda found: (found.tril(),)
    )


def _syrk_itself(data: Data, n: int, m: int) -> Work:
    work, cublas = _syrk(data, n, m), _cublas()
    a, c = data.uniform(n, m, low=-0.4, high=0.6), data.uniform(n, n)
    alpha, beta = ctypes.c_float(1.5), ctypes.c_float(1.2)

    def call() -> torch.Tensor:
        handle = ctypes.c_void_p(torch.cuda.current_blas_handle())
        _well(cublas.cublasSsyrk_v2(
            handle, _UPPER, _TRANSPOSED, n, m, ctypes.byref(alpha), _at(a), m, ctypes.byref(beta), _at(c), n
        ))  # fmt: skip
        return c

    return work._replace(call=call, expected=lambda: ((1.5 * _sums(a, a.t()) + 1.2 * c).tril(),))


def _syr2k(data: Data, n: int, m: int) -> Work:
    a, b, c = data.doubles(n, m), data.doubles(n, m), data.uniform(n, n, dtype=torch.float64, high=13)

    def call() -> torch.Tensor:
        c.addmm_(a, b.t(), beta=2.0, alpha=0.5)
        return c.addmm_(b, a.t(), alpha=0.5)

    return Work(call, lambda: (0.5 * (_sums(a, b.t()) + _sums(b, a.t())) + 2.0 * c,))


def _syr2k_itself(data: Data, n: int, m: int) -> Work:
    a, b, c = data.doubles(n, m), data.doubles(n, m), data.uniform(n, n, dtype=torch.float64, high=13)
    cublas, alpha, beta = _cublas(), ctypes.c_double(0.5), ctypes.c_double(2.0)

    def call() -> torch.Tensor:
        handle = ctypes.c_void_p(torch.cuda.current_blas_handle())
        _well(cublas.cublasDsyr2k_v2(
            handle, _UPPER, _TRANSPOSED, n, m, ctypes.byref(alpha), _at(a), m, _at(b), m, ctypes.byref(beta), _at(c), n
        ))  # fmt: skip
        return c

    def expected() -> tuple[torch.Tensor]:
        return ((0.5 * (_sums(a, b.t()) + _sums(b, a.t())) + 2.0 * c).tril(),)

    return Work(call, expected, lambda found: (found.tril(),))


def _cublas() -> ctypes.CDLL:
    """The one that PyTorch has loaded. Raises OSError where there is none."""
    torch.cuda.current_blas_handle()
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if Path(path).name.startswith("libcublas.so"):
            return ctypes.CDLL(path)
    raise OSError("PyTorch has loaded no libcublas.so")


def _at(tensor: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr())


def _well(status: int) -> None:
    if status:
        raise RuntimeError(f"cuBLAS answers {status}")


def _correlation(data: Data, n: int, m: int) -> Work:
    x = data.uniform(n, m, high=2)

    def call() -> torch.Tensor:
        deviation, mean = torch.std_mean(x, 0, correction=0)
        standard = (x - mean) / (n**0.5 * torch.where(deviation <= _EPS, 1, deviation))
        return standard.t() @ standard

    return Work(call, lambda: (_correlations(x),))


def _corrcoef(data: Data, n: int, m: int) -> Work:
    x = data.uniform(n, m, high=2)
    return Work(lambda: torch.corrcoef(x.t()), lambda: (_correlations(x),))


def _correlations(x: torch.Tensor) -> torch.Tensor:
    centred = x.double() - x.double().mean(0)
    standard = centred / torch.sqrt((centred**2).sum(0))
    return _sums(standard.t(), standard)


def _covariance(data: Data, points: int, dims: int) -> Work:
    x = data.doubles(points, dims)

    def expected() -> tuple[torch.Tensor]:
        centred = x - x.sum(0) / points
        return (_sums(centred.t(), centred) / (points - 1),)

    return Work(lambda: torch.cov(x.t()), expected)


def _gramschmidt(data: Data, rows: int, cols: int) -> Work:
    a = data.uniform(rows, cols)

    def expected() -> tuple[torch.Tensor, ...]:
        rest, r = a.double(), torch.zeros(cols, cols, dtype=torch.float64, device=data.device)
        q = torch.zeros_like(rest)
        for k in range(cols):
            r[k, k] = torch.sqrt((rest[:, k] ** 2).sum())
            q[:, k] = rest[:, k] / r[k, k]
            r[k, k + 1 :] = (q[:, k : k + 1] * rest[:, k + 1 :]).sum(0)
            rest[:, k + 1 :] -= q[:, k : k + 1] * r[k, k + 1 :]
        return q, r

    def shown(found: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        q, r = found
        signs = torch.sign(r.diagonal())
        return q * signs, r * signs[:, None]

    return Work(lambda: torch.linalg.qr(a), expected, shown)


def _lu(data: Data, n: int) -> Work:
    a = data.doubles(n, n) + n * torch.eye(n, dtype=torch.float64, device=data.device)  # as the program's: the largest is on the diagonal

    def expected() -> tuple[torch.Tensor]:
        left = a.clone()
        for k in range(n - 1):
            left[k + 1 :, k] /= left[k, k]
            left[k + 1 :, k + 1 :] -= left[k + 1 :, k : k + 1] * left[k, k + 1 :]
        return (left,)

    return Work(lambda: torch.linalg.lu_factor_ex(a, pivot=not data.is_on_gpu), expected, lambda found: (found.LU,))


def _pivoted_lu(data: Data, n: int) -> Work:
    work = _lu(data, n)
    a = Data(data.device).doubles(n, n) + n * torch.eye(n, dtype=torch.float64, device=data.device)
    return work._replace(call=lambda: torch.linalg.lu_factor_ex(a))


def _jacobi(data: Data, n: int, iterations: int) -> Work:
    grids = [data.uniform(1, 1, n + 2, n + 2)]
    grids.append(grids[0].clone())
    weights = torch.tensor([[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]], device=data.device).view(1, 1, 3, 3)

    def call() -> torch.Tensor:
        for step in range(iterations):
            grids[1 - step % 2][:, :, 1:-1, 1:-1] = functional.conv2d(grids[step % 2], weights)
        return grids[iterations % 2]

    def expected() -> tuple[torch.Tensor]:
        old = grids[0].double()
        for _ in range(iterations):
            new = old.clone()
            sides = old[..., :-2, 1:-1] + old[..., 2:, 1:-1] + old[..., 1:-1, :-2] + old[..., 1:-1, 2:]
            new[..., 1:-1, 1:-1] = 0.25 * sides
            old = new
        return (old,)

    return Work(call, expected)


def _doitgen(data: Data, nr: int, nq: int, np: int) -> Work:
    a, c4 = data.uniform(nr * nq, np), data.uniform(np, np, low=-0.3, high=0.7)
    sums, written = torch.empty_like(a), torch.empty_like(a)

    def call() -> torch.Tensor:
        torch.mm(a, c4, out=sums)
        return written.copy_(sums)

    return Work(call, lambda: (_sums(a, c4),))


def _convolutions(data: Data, n2: int, n3: int) -> Work:
    flat, solid = data.uniform(1, 1, n2, n2), data.uniform(1, 1, n3, n3, n3)
    w2 = (torch.arange(9, device=data.device) - 3).mul(0.1).view(1, 1, 3, 3)
    w3 = (torch.arange(27, device=data.device) * 5 % 27 - 11).mul(0.05).view(1, 1, 3, 3, 3)

    def expected() -> tuple[torch.Tensor, ...]:
        squares = flat.double().unfold(2, 3, 1).unfold(3, 3, 1)
        cubes = solid.double().unfold(2, 3, 1).unfold(3, 3, 1).unfold(4, 3, 1)
        return (squares * w2[0, 0]).sum((-2, -1)), (cubes * w3[0, 0]).sum((-3, -2, -1))

    return Work(lambda: (functional.conv2d(flat, w2), functional.conv3d(solid, w3)), expected)


OPS = (
    Op("matmul", "cuBLAS", "torch.mm(a, b, out=c)", "float32", _matmul),
    Op("two_products", "cuBLAS", "torch.mm(a, b, out=t); d.addmm_(t, c, beta, alpha)", "float32", _two_products),
    Op("three_products", "cuBLAS", "three of torch.mm", "float64", _three_products, _FP64_NOTE),
    Op("atax", "cuBLAS", "torch.mv(a, x, out=t); torch.mv(a.T, t, out=y)", "float32", _atax),
    Op("bicg", "cuBLAS", "torch.mv(a, p, out=q); torch.mv(a.T, r, out=s)", "float64", _bicg),
    Op("mvt", "cuBLAS", "x1.addmv_(a, y1); x2.addmv_(a.T, y2)", "float32", _mvt),
    Op(
        "gemver", "cuBLAS and torch", "a.addr_(u1, v1); a.addr_(u2, v2); x.addmv_(a.T, y); x.add_(z); w.addmv_(a, x)", "float64",
        _gemver_by_addr, "two passes over the matrix to update it",
    ),
    Op(
        "gemver", "cuBLAS", "a.addmm_(u, v); x.addmv_(a.T, y); x.add_(z); w.addmv_(a, x)", "float64", _gemver_by_gemm,
        "u1 and u2 lie in one array, so do v1 and v2; " + _FP64_NOTE,
    ),
    Op("gesummv", "cuBLAS", "torch.mv(a, x, out=y); y.addmv_(b, x, beta, alpha)", "float32", _gesummv),
    Op("syrk", "cuBLAS", "c.addmm_(a, a.T, beta, alpha)", "float32", _syrk, "both triangles; the program writes the lower one"),
    Op("syrk", "cuBLAS", "cublasSsyrk", "float32", _syrk_itself, needs_gpu=True),
    Op("syr2k", "cuBLAS", "c.addmm_(a, b.T, beta, alpha); c.addmm_(b, a.T, alpha)", "float64", _syr2k, _FP64_NOTE),
    Op(
        "syr2k", "cuBLAS", "cublasDsyr2k", "float64", _syr2k_itself, "one triangle; the program writes both; " + _FP64_NOTE, needs_gpu=True
    ),
    Op(
        "correlation", "cuBLAS and torch", "std_mean(x, 0); z = (x - mean) / deviation; z.T @ z", "float32", _correlation,
        "all of the symmetric product; does not overwrite the data",
    ),
    Op(
        "correlation", "cuBLAS and torch", "torch.corrcoef(x.T)", "float32", _corrcoef,
        "all of the symmetric product; no guard against constant columns; does not overwrite the data",
    ),
    Op(
        "covariance", "cuBLAS and torch", "torch.cov(x.T)", "float64", _covariance,
        "all of the symmetric product; does not overwrite the data; " + _FP64_NOTE,
    ),
    Op(
        "gramschmidt", "cuSOLVER", "torch.linalg.qr(a)", "float32", _gramschmidt,
        "by Householder's reflections; signs of columns may differ; what its host does counts", is_graphed=False,
    ),
    Op(
        "lu", "cuSOLVER", "torch.linalg.lu_factor_ex(a, pivot=False)", "float64", _lu,
        "copies the matrix first; what its host does counts; " + _FP64_NOTE, is_graphed=False,
    ),
    Op(
        "lu", "cuSOLVER", "torch.linalg.lu_factor_ex(a)", "float64", _pivoted_lu,
        "with pivoting; copies the matrix first; what its host does counts; " + _FP64_NOTE, is_graphed=False,
    ),
    Op(
        "jacobi", "cuDNN", "each step: b[1:-1, 1:-1] = conv2d(a, w), cudnn.benchmark on", "float32", _jacobi,
        "nine products per cell, five of them by zero; writes the inner cells twice",
    ),
    Op("doitgen", "cuBLAS", "torch.mm(a, c4, out=s); b.copy_(s)", "float32", _doitgen, "written to another array than it was read from"),
    Op(
        "convolutions", "cuDNN", "conv2d(a, w2); conv3d(b, w3), cudnn.benchmark on", "float32", _convolutions,
        "results are arrays of the inner cells alone",
    ),
)  # fmt: skip
"""In the suite's order."""
