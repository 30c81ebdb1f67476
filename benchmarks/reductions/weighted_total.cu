// weighted total of a survey
#include <cstdio>
#include <cstdlib>
#include <cmath>
#define CHECK(e) do { cudaError_t _e = (e); if (_e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(_e)); exit(1); } } while (0)
#define NTHREADS 256
#define LAUNCH1D(k, n, ...) k<<<((n) + NTHREADS - 1) / NTHREADS, NTHREADS>>>(__VA_ARGS__)

__global__ void fill(float *v, float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { v[i] = (i * 37 % 101) * 0.01f; w[i] = 1.0f / (1 + i % 13); }
}

__global__ void weighted_sum(const float *values, const float *weights, float *total, float *weight_total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float w = weights[i];
        if (w > 0.1f) {
            atomicAdd(total, values[i] * w);
            atomicAdd(weight_total, w);
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100003;
    float *v, *w, *sums, out[2];
    CHECK(cudaMalloc(&v, n * sizeof(float)));
    CHECK(cudaMalloc(&w, n * sizeof(float)));
    CHECK(cudaMalloc(&sums, 2 * sizeof(float)));
    CHECK(cudaMemset(sums, 0, 2 * sizeof(float)));
    LAUNCH1D(fill, n, v, w, n);
    weighted_sum<<<(n + NTHREADS - 1) / NTHREADS, NTHREADS>>>(v, w, sums, sums + 1, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, sums, sizeof(out), cudaMemcpyDeviceToHost));
    printf("mean %.3f of %d\n", out[0] / out[1], n);
    cudaFree(v); cudaFree(w); cudaFree(sums);
    return 0;
}
