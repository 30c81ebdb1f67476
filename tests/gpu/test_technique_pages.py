"""Examples of technique pages that the emulator cannot run: tensor cores by wmma, and TMA with wgmma, against a product on the host."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.shipped import shipped_prompts
from tests.gpu.pages import BLOCK, run_example

CHECK = """
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
static const int M = 128, N = 192, K = 256;
static int compared(const std::vector<half> &a, const std::vector<half> &b, bool b_is_n_by_k, const float *device_c)
{
    std::vector<float> c(M * N);
    if (cudaMemcpy(c.data(), device_c, sizeof(float) * M * N, cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("failed: %s\\n", cudaGetErrorString(cudaGetLastError()));
        return 2;
    }
    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int q = 0; q < K; q++) {
                double y = __half2float(b[b_is_n_by_k ? j * K + q : q * N + j]);
                sum += __half2float(a[i * K + q]) * y;
            }
            worst = fmax(worst, fabs(sum - c[i * N + j]));
        }
    printf("worst difference %g\\n", worst);
    return worst < 1e-2 ? 0 : 1;
}
static half *uploaded(std::vector<half> &values, int seed)
{
    for (size_t i = 0; i < values.size(); i++) values[i] = __float2half(((int)((i * 37 + seed) % 101) - 50) / 100.0f);
    half *p;
    cudaMalloc(&p, values.size() * sizeof(half));
    cudaMemcpy(p, values.data(), values.size() * sizeof(half), cudaMemcpyHostToDevice);
    return p;
}
"""
WMMA = """
int main()
{
    std::vector<half> a(M * K), b(K * N);
    half *da = uploaded(a, 1), *db = uploaded(b, 2);
    float *c;
    cudaMalloc(&c, sizeof(float) * M * N);
    hgemm<<<dim3(N / 64, M / 64), 128>>>(da, db, c, M, N, K);
    return compared(a, b, false, c);
}
"""
WGMMA = """
static CUtensorMap map_of(half *p, int rows)
{
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    CUtensorMap map;
    cuuint64_t sizes[2] = {(cuuint64_t)K, (cuuint64_t)rows}, strides[1] = {K * sizeof(half)};
    cuuint32_t box[2] = {64, 64}, steps[2] = {1, 1};
    auto call = (decltype(&cuTensorMapEncodeTiled))encode;
    CUresult made = call(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) exit(3);
    return map;
}
int main()
{
    std::vector<half> a(M * K), b(N * K);
    half *da = uploaded(a, 1), *db = uploaded(b, 2);
    float *c;
    cudaMalloc(&c, sizeof(float) * M * N);
    hgemm_wgmma<<<dim3(N / 64, M / 64), 128>>>(map_of(da, M), map_of(db, N), c, N, K);
    return compared(a, b, true, c);
}
"""


@pytest.mark.parametrize(("page", "main", "newest"), [("tensor-cores", WMMA, ""), ("warpgroup-mma", WGMMA, "90")])
def test_an_example_computes_the_product(page: str, main: str, newest: str, nvcc: str, architecture: str, tmp_path: Path) -> None:
    found = architecture.removeprefix("sm_")
    if newest and found != newest:
        pytest.skip(f"its instructions are sm_{newest}a's alone, and this is sm_{found}")
    code = BLOCK.findall((shipped_prompts() / "techniques" / f"{page}.md").read_text("utf-8"))[0]
    run_example(code + CHECK + main, f"{found}a" if newest else found, nvcc, tmp_path)
