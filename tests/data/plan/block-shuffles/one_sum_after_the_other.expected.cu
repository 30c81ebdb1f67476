// kernel=sums line=16 finding=KO115
#include <cmath>
#include <cstdio>

__global__ void sums(float *out, const float *in, int n) {
    __shared__ float buf[4];
    float mine[3] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine[0] += in[i];
        mine[1] += in[i] * in[i];
        mine[2] += 1.0f;
    }
    for (int k = 0; k < 3; ++k) {
        float value = mine[k];
        for (int offset = 16; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffff, value, offset);
        if (threadIdx.x % 32 == 0)
            buf[threadIdx.x / 32] = value;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int warp = 1; warp < 4; warp++)
                value += buf[warp];
            out[blockIdx.x * 3 + k] = value;
        }
        __syncthreads();
    }
}

int main() {
    const int n = 1000, blocks = 3;
    float *out, *in;
    cudaMallocManaged(&out, 3 * blocks * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = 0.25f * (i % 7);
    sums<<<blocks, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    double want[3] = {}, got[3] = {};
    for (int i = 0; i < n; ++i) want[0] += in[i], want[1] += in[i] * in[i], want[2] += 1;
    for (int i = 0; i < 3 * blocks; ++i) got[i % 3] += out[i];
    for (int k = 0; k < 3; ++k)
        if (!(fabs(got[k] - want[k]) <= 1e-4 * want[k])) return printf("FAIL %d: %g %g\n", k, got[k], want[k]), 1;
    return puts("PASS"), 0;
}
