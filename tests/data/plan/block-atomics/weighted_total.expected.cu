// kernel=weighted_sum line=11 finding=KO110
#include <cstdio>
#define THREADS 256

__global__ void weighted_sum(const float *values, float *total, float *weight_total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float thread_total = 0;
    float thread_weight_total = 0;
    if (i < n) {
        float w = 1.0f / (1 + i % 13);
        if (values[i] > 0.1f) {
            thread_total += values[i] * w;
            thread_weight_total += w;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        thread_total += __shfl_down_sync(0xffffffff, thread_total, offset);
        thread_weight_total += __shfl_down_sync(0xffffffff, thread_weight_total, offset);
    }
    __shared__ float warp_total[THREADS / 32];
    __shared__ float warp_weight_total[THREADS / 32];
    if (threadIdx.x % 32 == 0) {
        warp_total[threadIdx.x / 32] = thread_total;
        warp_weight_total[threadIdx.x / 32] = thread_weight_total;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < THREADS / 32; warp++) {
            thread_total += warp_total[warp];
            thread_weight_total += warp_weight_total[warp];
        }
        atomicAdd(total, thread_total);
        atomicAdd(weight_total, thread_weight_total);
    }
}

int main() {
    const int n = 20003;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    float *sums, out[2];
    cudaMalloc(&sums, sizeof(out));
    cudaMemset(sums, 0, sizeof(out));
    weighted_sum<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, sums, sums + 1, n);
    cudaMemcpy(out, sums, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%.1f %.1f\n", out[0], out[1]);
    return 0;
}
