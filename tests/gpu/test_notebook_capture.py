"""Cells whose Python launches kernels, recorded in this very process: pycuda's, CuPy's, PyTorch extensions', and what comes of them."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.workload.narrow import Extent
from jupyter_ext.capturing import CellRecorder, CellRecording, Subject
from jupyter_ext.opening import CellOpener, MagicLine, OpenedCell
from jupyter_ext.workshop import Workshop
from tests.caches import shared_cache

PYCUDA = '''
import numpy as np
import pycuda.autoprimaryctx, pycuda.driver as cuda
from pycuda.compiler import SourceModule
module = SourceModule("""
__constant__ float factor;
__global__ void scale(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * factor;
}
""")
cuda.memcpy_htod(module.get_global("factor")[0], np.float32(3.0))
x = np.linspace(-1, 1, 1000).astype(np.float32)
out = np.zeros_like(x)
for _ in range(2):
    module.get_function("scale")(cuda.Out(out), cuda.In(x), np.int32(1000), grid=(4, 1), block=(256, 1, 1))
'''
EXTENSION = """
__global__ void halve_kernel(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * 0.5f;
}
torch::Tensor halve(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int n = x.numel();
  halve_kernel<<<(n + 255) / 256, 256>>>(out.data_ptr<float>(), x.data_ptr<float>(), n);
  return out;
}
"""
CUPY_KERNEL = '''
halve = cp.RawKernel(r"""
extern "C" __global__ void halve(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * 0.5f;
}
""", "halve")
x -= 500
out = cp.zeros(1000, cp.float32)
for _ in range(2):
    halve((4,), (256,), (out, x, cp.int32(1000)))
'''
CUPY_MODULE = '''
import cupy as cp, numpy as np
module = cp.RawModule(code=r"""
__constant__ float factor;
extern "C" __global__ void scale(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * factor;
}
""")
cp.ndarray((1,), cp.float32, module.get_global("factor")).set(np.array([3], np.float32))
x = cp.asarray(np.linspace(-1, 1, 1000), cp.float32)
out = cp.zeros_like(x)
module.get_function("scale")((4,), (256,), (out, x, cp.int32(1000)))
'''


@dataclass
class Notebook:
    """Its variables; no cell was run before."""

    namespace: dict[str, object] = field(default_factory=dict[str, object])

    def earlier_cells(self) -> list[str]:
        return []


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Generator[Workshop]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        (home / "cache").symlink_to(shared_cache())
        patch.setenv("KERNELOPT_HOME", str(home))
        made = Workshop()
        yield made
        made.close()


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


@pytest.fixture
def capturing(workshop: Workshop, notebook: Notebook) -> CellRecorder:
    return CellRecorder(workshop, notebook)


def record(capturing: CellRecorder, notebook: Notebook, body: str) -> tuple[CellRecording, str]:
    """The recording and the cell's text."""

    def run() -> bool:
        exec(body, notebook.namespace)
        return True

    code = f"%%kernelopt --capture\n{body}"
    return capturing.record(code, run), code


def checked(workshop: Workshop, capturing: CellRecorder, recorded: CellRecording, code: str, folder: Path) -> OpenedCell:
    """The recorded kernel's text, checked on what was recorded."""
    subject = capturing.subject(recorded, None, code, folder / "lab.ipynb", "a1")
    assert isinstance(subject, Subject), recorded.messages
    opening = CellOpener(workshop, {})
    opening.recorded(recorded.captured)
    opened = opening.open(subject.cell, MagicLine(kernel=subject.selector, until="check", device="gpu:0"))
    assert opened.run.wait(180.0)
    return opened


def test_a_kernel_of_pycuda_is_recorded_with_its_constants_and_checked(
    workshop: Workshop, capturing: CellRecorder, notebook: Notebook, tmp_path: Path
) -> None:
    pytest.importorskip("pycuda", reason="pycuda is not installed here")
    recorded, code = record(capturing, notebook, PYCUDA)
    assert recorded.messages[0].startswith("scale: 2 launches on "), recorded.messages
    assert recorded.messages[0].endswith("grid (4, 1, 1), block (256, 1, 1); source: SourceModule in this cell"), recorded.messages
    assert {buffer.symbol for buffer in recorded.captured.recording.buffers} == {None, "factor"}
    out: Any = notebook.namespace["out"]
    np.testing.assert_allclose(out, np.linspace(-1, 1, 1000) * 3, rtol=1e-6)
    opened = checked(workshop, capturing, recorded, code, tmp_path)
    assert opened.run.state.headline == "check: no problem found by what was checked", opened.run.state


def test_a_raw_kernel_of_cupy_is_recorded_on_its_arrays_without_cupys_own_kernels(
    workshop: Workshop, capturing: CellRecorder, notebook: Notebook, tmp_path: Path
) -> None:
    cp: Any = pytest.importorskip("cupy", reason="CuPy is not installed here")
    cp.get_default_memory_pool().free_all_blocks()
    block = cp.empty(1 << 18, cp.float32)
    del block  # the pool hands out parts of it
    x = cp.arange(1000, dtype=cp.float32)
    notebook.namespace.update(cp=cp, x=x)
    recorded, code = record(capturing, notebook, CUPY_KERNEL)
    assert recorded.messages[0].startswith("halve: 2 launches on "), recorded.messages
    assert recorded.messages[0].endswith("grid (4, 1, 1), block (256, 1, 1); source: RawKernel in this cell"), recorded.messages
    assert recorded.messages[1:] == ("launches of libraries' own kernels (PyTorch, CuPy, CUDA's) were left out",)
    out: Any = notebook.namespace["out"]
    np.testing.assert_array_equal(out.get(), (np.arange(1000, dtype=np.float32) - 500) / 2)
    assert [buffer.size_bytes for buffer in recorded.captured.recording.buffers] == [1 << 20], "both arrays are parts of one allocation"
    assert {Extent(array.data.ptr, 4000) for array in (x, out)} <= set(recorded.captured.extents)
    opened = checked(workshop, capturing, recorded, code, tmp_path)
    assert opened.run.state.headline == "check: no problem found by what was checked", opened.run.state


def test_a_raw_module_of_cupy_is_recorded_with_its_constants_and_checked(
    workshop: Workshop, capturing: CellRecorder, notebook: Notebook, tmp_path: Path
) -> None:
    pytest.importorskip("cupy", reason="CuPy is not installed here")
    recorded, code = record(capturing, notebook, CUPY_MODULE)
    assert recorded.messages[0].startswith("scale: 1 launch on "), recorded.messages
    assert recorded.messages[0].endswith("grid (4, 1, 1), block (256, 1, 1); source: RawModule in this cell"), recorded.messages
    assert {buffer.symbol for buffer in recorded.captured.recording.buffers} == {None, "factor"}
    out: Any = notebook.namespace["out"]
    np.testing.assert_allclose(out.get(), np.linspace(-1, 1, 1000) * 3, rtol=1e-6)
    opened = checked(workshop, capturing, recorded, code, tmp_path)
    assert opened.run.state.headline == "check: no problem found by what was checked", opened.run.state


def test_a_second_recording_knows_nothing_of_the_first(capturing: CellRecorder, notebook: Notebook) -> None:
    pytest.importorskip("pycuda", reason="pycuda is not installed here")
    for _ in range(2):
        recorded, _ = record(capturing, notebook, PYCUDA)
        assert len(recorded.captured.recording.launches) == 2
    nothing, _ = record(capturing, notebook, "x = 1")
    assert nothing.messages == (f"recorded on {nothing.captured.device}: no launch of a kernel of your own",)


def test_a_pytorch_extension_is_recorded_on_its_tensors(
    workshop: Workshop, capturing: CellRecorder, notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, architecture: str
) -> None:
    torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed here")
    if shutil.which("ninja") is None:
        pytest.skip("ninja is not installed here, by which PyTorch builds extensions")
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", f"{architecture[3:-1]}.{architecture[-1]}")
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    build: Any = importlib.import_module("torch.utils.cpp_extension").load_inline
    declared = "torch::Tensor halve(torch::Tensor x);"
    notebook.namespace["extension"] = build("kernelopt_halve", declared, EXTENSION, functions=["halve"])
    notebook.namespace["torch"] = torch
    torch.cuda.init()  # what a PyTorch that begins in the cell gave back there, was not kept
    body = "x = torch.randn(1000, device='cuda')\ngone = x * 2\ndel gone\nout = extension.halve(x)\ntorch.cuda.synchronize()"
    recorded, code = record(capturing, notebook, body)
    assert "halve_kernel(float*, float const*, int): 1 launch" in recorded.messages[0], recorded.messages
    assert "load_inline built kernelopt_halve" in recorded.messages[0], recorded.messages
    assert {extent.size_bytes for extent in recorded.captured.extents} >= {4000}
    opened = checked(workshop, capturing, recorded, code, tmp_path)
    assert opened.run.state.headline == "check: no problem found by what was checked", opened.run.state
