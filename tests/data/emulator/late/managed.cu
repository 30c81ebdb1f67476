// Threads of the host with a stream each, managed and constant memory, and the default stream behind them.
#include <cstdio>
#include <thread>
#include <vector>
#include <cuda_runtime.h>

__managed__ int total;
__constant__ float scale;

__global__ void scaled(float* x, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    x[i] *= scale;
    atomicAdd(&total, 1);
}

void work(float* x, int n) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    scaled<<<4, 256, 0, stream>>>(x, n);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}

int main() {
    const int n = 1000;
    float *x, factor = 3.0f;
    cudaMallocManaged(&x, n * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = i;
    cudaMemcpyToSymbol(scale, &factor, sizeof factor);
    total = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) threads.emplace_back(work, x + t * 250, 250);
    for (auto& thread : threads) thread.join();
    scaled<<<4, 256>>>(x, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    printf("%d %g\n", total, sum);
    cudaFree(x);
}
