// Block sums written as people write them in a hurry: guards on the line of what they guard.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float sh[256];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sh[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sh[tid] += sh[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sh[0];
}

__global__ void clamp_some(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float v = x[i]; if (v < 0.1f) v = v * v * v + 3.0f * v * v - 7.0f * v; else if (v > 0.9f) v = sqrtf(v); x[i] = v; }
}

__global__ void last_thread_works(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i % n];
    if (threadIdx.x == blockDim.x - 1) { for (int k = 0; k < 40; k++) v = v * 0.99f + 0.01f * k; x[blockIdx.x] = v; }
}

int main() {
    const int n = 20000;
    float *h = new float[n], *a, *b;
    for (int i = 0; i < n; i++) h[i] = (float)((i * 7919) % 1000) / 1000.0f;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice);
    block_sum<<<(n + 255) / 256, 256>>>(a, b, n);
    clamp_some<<<(n + 255) / 256, 256>>>(a, n);
    last_thread_works<<<16, 192>>>(a, n);
    cudaMemcpy(h, a, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    delete[] h;
    return 0;
}
