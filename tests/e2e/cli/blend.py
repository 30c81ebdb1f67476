"""A kernel of which each thread takes four neighbours one by one, and what a model makes of it with ``float4``."""

PROGRAM = """\
#include <cstdio>
#include <cuda_runtime.h>

__global__ void blend(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4; j++) {
        int k = 4 * i + j;
        if (k < n) out[k] = a[k] + 0.25f * (b[k] - a[k]);
    }
}

int main()
{
    const int n = 1 << 16;
    static float a[n], b[n], out[n];
    for (int i = 0; i < n; i++) { a[i] = i % 97; b[i] = i % 31; }
    float *da, *db, *dout;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dout, sizeof out);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    blend<<<n / 1024, 256>>>(dout, da, db, n);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    printf("%g\\n", out[12]);
    return 0;
}
"""
VECTOR = """\
__global__ void blend(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 x = reinterpret_cast<const float4 *>(a)[i];
        float4 y = reinterpret_cast<const float4 *>(b)[i];
        float4 r;
        r.x = x.x + 0.25f * (y.x - x.x);
        r.y = x.y + 0.25f * (y.y - x.y);
        r.z = x.z + 0.25f * (y.z - x.z);
        r.w = x.w + 0.25f * (y.w - x.w);
        reinterpret_cast<float4 *>(out)[i] = r;
    } else {
        for (int k = 4 * i; k < n; k++) out[k] = a[k] + 0.25f * (b[k] - a[k]);
    }
}"""
