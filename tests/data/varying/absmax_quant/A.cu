// Symmetric int8 quantization per channel: abs-max, then round.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(expr) do { cudaError_t st = (expr); if (st != cudaSuccess) { \
    std::fprintf(stderr, "CUDA error '%s' in %s:%d\n", cudaGetErrorString(st), __FILE__, __LINE__); std::abort(); } } while (false)

__device__ void atomicMaxFloat(float* addr, float value)
{
    int* ia = reinterpret_cast<int*>(addr);
    int old = atomicAdd(ia, 0);
    while (value > __int_as_float(old)) {
        int assumed = old;
        old = atomicCAS(ia, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
}

__global__ void channel_absmax(const float* x, int channels, int len, float* amax)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y;
    if (i < len) atomicMaxFloat(&amax[c], fabsf(x[c * len + i]));
}

__global__ void quantize(const float* x, int len, const float* amax, int8_t* q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y;
    if (i >= len) return;
    float a = amax[c];
    float inv = a > 0.0f ? 127.0f / a : 0.0f;
    float r = rintf(x[c * len + i] * inv);
    q[c * len + i] = (int8_t)fminf(fmaxf(r, -127.0f), 127.0f);
}

int main()
{
    const int C = 72, L = 2500, N = C * L;
    std::vector<float> x(N);
    uint32_t s = 0xC0FFEE;
    for (int c = 0; c < C; ++c)
        for (int i = 0; i < L; ++i) {
            s ^= s << 13; s ^= s >> 17; s ^= s << 5;
            float u = (float)(s >> 8) / 16777216.0f * 2.0f - 1.0f;
            x[c * L + i] = c == 13 ? 0.0f : u * u * u * (0.1f + 0.05f * c);
        }
    float *dx, *da; int8_t* dq;
    CUDA_CHECK(cudaMalloc(&dx, N * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&da, C * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dq, N));
    CUDA_CHECK(cudaMemcpy(dx, x.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(da, 0, C * sizeof(float)));

    dim3 grid((L + 255) / 256, C);
    channel_absmax<<<grid, 256>>>(dx, C, L, da);
    quantize<<<grid, 256>>>(dx, L, da, dq);
    CUDA_CHECK(cudaGetLastError());

    std::vector<int8_t> q(N);
    std::vector<float> amax(C);
    CUDA_CHECK(cudaMemcpy(q.data(), dq, N, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(amax.data(), da, C * sizeof(float), cudaMemcpyDeviceToHost));
    double err = 0; long ck = 0;
    for (int i = 0; i < N; ++i) {
        double sc = amax[i / L] / 127.0;
        err += std::fabs(x[i] - q[i] * sc);
        ck += (long)q[i] * (i % 101);
    }
    std::printf("checksum %ld  mean error %.8f\n", ck, err / N);
    for (int c = 0; c < C; c += 13) std::printf("amax[%d] = %.7f\n", c, amax[c]);
    cudaFree(dx); cudaFree(da); cudaFree(dq);
    return 0;
}
