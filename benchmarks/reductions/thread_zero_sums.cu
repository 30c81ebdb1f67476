#include <cstdio>
#include <cstdlib>
#define N_THREADS 128
__device__ float distance2(float x, float y, float cx, float cy) { float dx = x - cx, dy = y - cy; return dx * dx + dy * dy; }

// sum of squared distances from a centre, per block
__global__ void inertia(const float *xs, const float *ys, float cx, float cy, float *blockSums, int n)
{
    __shared__ float parts[N_THREADS];
    int i = blockIdx.x * N_THREADS + threadIdx.x;
    parts[threadIdx.x] = i < n ? distance2(xs[i], ys[i], cx, cy) : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < N_THREADS; k++)
            sum += parts[k];
        blockSums[blockIdx.x] = sum;
    }
}

__global__ void finish(const float *blockSums, float *result, int blocks)
{
    float sum = 0;
    for (int b = 0; b < blocks; b++)
        sum += blockSums[b];
    *result = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 70001;
    float *h = (float *)malloc(2 * n * sizeof(float));
    for (int i = 0; i < 2 * n; i++) h[i] = (i * 31 % 997) / 997.0f;
    float *xs, *ys, *sums, *result, r;
    int blocks = (n + N_THREADS - 1) / N_THREADS;
    cudaMalloc(&xs, n * sizeof(float)); cudaMalloc(&ys, n * sizeof(float));
    cudaMalloc(&sums, blocks * sizeof(float)); cudaMalloc(&result, sizeof(float));
    cudaMemcpy(xs, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ys, h + n, n * sizeof(float), cudaMemcpyHostToDevice);
    inertia<<<blocks, N_THREADS>>>(xs, ys, 0.5f, 0.25f, sums, n);
    finish<<<1, 1>>>(sums, result, blocks);
    cudaError_t e = cudaMemcpy(&r, result, sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }
    printf("inertia %.1f\n", r);
    return 0;
}
