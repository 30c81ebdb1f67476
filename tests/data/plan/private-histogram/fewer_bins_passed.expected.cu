// kernel=latencies line=9 finding=KO110
#include <cstdio>
#include <cstdlib>

__global__ void latencies(const float *ms, unsigned int *hist, int n, int bins, float width, int hist_count) {
    extern __shared__ unsigned int block_hist[];
    for (int b = threadIdx.x; b < hist_count; b += blockDim.x)
        block_hist[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = min(bins - 1, (int)(ms[i] / width));
        atomicAdd(&block_hist[bin], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < hist_count; b += blockDim.x)
        atomicAdd(&hist[b], block_hist[b]);
}

int main(int argc, char **argv) {
    int n = 50000, bins = 100;
    if (argc > 1) bins = atoi(argv[1]);
    float *ms;
    unsigned int *hist;
    cudaMallocManaged(&ms, n * sizeof(float));
    cudaMallocManaged(&hist, bins * sizeof(unsigned int));
    for (int i = 0; i < n; i++) ms[i] = (i * 37 % 1000) * 0.1f;
    cudaMemset(hist, 0, bins * sizeof(unsigned int));
    latencies<<<(n + 255) / 256, 256, bins * sizeof(unsigned int)>>>(ms, hist, n, bins / 2, 100.0f / bins, bins);
    cudaDeviceSynchronize();
    for (int b = 0; b < bins; b += 10) printf("%u ", hist[b]);
    printf("\n");
    return 0;
}
