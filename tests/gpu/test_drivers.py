"""NVIDIA's bindings and pycuda keep the same contract on a real GPU."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.device.driver import DeviceError, Driver
from assistant.device.opening import open_driver
from assistant.lab.gpus import list_gpus
from assistant.model.launch import Dim3, LaunchConfig
from tests.contracts.driver_contract import DriverContract

CODE = """
#include <cooperative_groups.h>
__device__ int told;
__global__ void add(float* data, int count) { if (threadIdx.x < count) data[threadIdx.x] += 1; }
__global__ void put(int* cell) { if (threadIdx.x == 0) *cell = told; }
extern __shared__ float many[];
__global__ void shared(float* out) { many[threadIdx.x] = threadIdx.x; __syncthreads(); out[0] = many[0]; }
__global__ void together(int* out) { if (threadIdx.x == 0) *out = cooperative_groups::this_grid().is_valid(); }
#if __CUDA_ARCH__ >= 900
__global__ void clustered(int* out) { if (threadIdx.x == 0) *out = cooperative_groups::this_cluster().num_blocks(); }
#endif
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory, architecture: str, nvcc: str) -> bytes:
    folder = tmp_path_factory.mktemp("code")
    (folder / "code.cu").write_text(CODE)
    subprocess.run((nvcc, "-cubin", f"-arch={architecture}", "-o", folder / "code.cubin", folder / "code.cu"), check=True)
    return Path(folder / "code.cubin").read_bytes()


class RealDriverContract(DriverContract):
    def test_the_device_is_named_as_nvml_names_it(self, driver: Driver) -> None:
        found = list_gpus(os.environ)
        assert isinstance(found, tuple), found
        assert driver.facts().uuid in {gpu.uuid for gpu in found}

    def test_dynamic_shared_memory_above_48_kib_is_allowed(self, driver: Driver, image: bytes) -> None:
        module, out = driver.load(image), driver.allocate(4)
        config = LaunchConfig(Dim3(1), Dim3(32), driver.facts().shared_bytes_per_block_optin)
        driver.launch(driver.prepare(driver.function(module, "_Z6sharedPf"), config, (int(out).to_bytes(8, "little"),)))
        driver.synchronize()
        driver.free(out)
        driver.unload(module)

    @pytest.mark.parametrize(("kernel", "cluster", "left"), [("_Z8togetherPi", None, 1), ("_Z9clusteredPi", Dim3(2), 2)])
    def test_what_a_launch_asks_for_is_kept_in_a_graph(
        self, driver: Driver, image: bytes, kernel: str, cluster: Dim3 | None, left: int
    ) -> None:
        if not driver.has_graphs:
            pytest.skip("pycuda starts no graphs, no cooperative launches and no clusters")
        if cluster is not None and driver.facts().compute_capability < (9, 0):
            pytest.skip("clusters need compute capability 9.0")
        module, out = driver.load(image), driver.allocate(4)
        argument = (int(out).to_bytes(8, "little"),)
        config = LaunchConfig(Dim3(4), Dim3(32), 0)
        launch = driver.prepare(driver.function(module, kernel), config, argument, is_cooperative=cluster is None, cluster=cluster)
        graph = driver.create_graph([launch])
        for start in (lambda: driver.launch(launch), lambda: driver.launch_graph(graph)):
            driver.fill(out, 0, 4)
            start()
            assert driver.read(out, 4) == left.to_bytes(4, "little")
        driver.destroy_graph(graph)
        driver.free(out)
        driver.unload(module)

    def test_a_launch_keeps_its_shared_memory_when_a_smaller_one_of_the_kernel_is_prepared(self, driver: Driver, image: bytes) -> None:
        module, out = driver.load(image), driver.allocate(4)
        kernel, most = driver.function(module, "_Z6sharedPf"), driver.facts().shared_bytes_per_block_optin
        argument = (int(out).to_bytes(8, "little"),)
        launches = [driver.prepare(kernel, LaunchConfig(Dim3(1), Dim3(32), size), argument) for size in (most, most - 1024)]
        for launch in launches:
            driver.launch(launch)
        driver.synchronize()
        driver.free(out)
        driver.unload(module)

    def test_what_cuda_refuses_is_raised_with_its_name(self, driver: Driver, image: bytes) -> None:
        module = driver.load(image)
        with pytest.raises(DeviceError) as raised:
            driver.function(module, "absent")
        assert raised.value.name == "CUDA_ERROR_NOT_FOUND"
        assert not raised.value.is_sticky
        driver.unload(module)

    def test_memory_that_is_not_there_is_said_so(self, driver: Driver) -> None:
        with pytest.raises(DeviceError) as raised:
            driver.allocate(1 << 50)
        assert raised.value.is_out_of_memory


@pytest.fixture(scope="module")
def bindings() -> Iterator[Driver]:
    driver = open_driver("cuda", 0)
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def pycuda() -> Iterator[Driver]:
    driver = open_driver("pycuda", 0)
    yield driver
    driver.close()


class TestCudaBindings(RealDriverContract):
    @pytest.fixture
    def driver(self, bindings: Driver) -> Driver:
        return bindings


@pytest.mark.skipif(importlib.util.find_spec("pycuda") is None, reason="pycuda is optional and not installed here")
class TestPycuda(RealDriverContract):
    @pytest.fixture
    def driver(self, pycuda: Driver) -> Driver:
        return pycuda
