// Four blocking streams, timed by events of the default stream, whose second record waits for all of them.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void twice(const float* a, float* x, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) x[i] = a[i] * 2.0f;
}

int main() {
    const int n = 10000, chunk = 2500;
    std::vector<float> host(n, 1.5f);
    float *a, *x, *result;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMallocHost(&result, n * sizeof(float));
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaStream_t streams[4];
    for (auto& stream : streams) cudaStreamCreate(&stream);
    cudaEventRecord(begin);
    for (int c = 0; c < 4; c++) {
        int at = c * chunk;
        cudaMemcpyAsync(a + at, host.data() + at, chunk * sizeof(float), cudaMemcpyHostToDevice, streams[c]);
        host[at] = 100.0f;  // pageable memory was staged at the call
        twice<<<10, 256, 0, streams[c]>>>(a + at, x + at, chunk);
        cudaMemcpyAsync(result + at, x + at, chunk * sizeof(float), cudaMemcpyDeviceToHost, streams[c]);
    }
    cudaEventRecord(end);
    float ms = -1;
    cudaError_t early = cudaEventElapsedTime(&ms, begin, end);
    cudaEventSynchronize(end);
    cudaError_t error = cudaEventElapsedTime(&ms, begin, end);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += result[i];
    fprintf(stderr, "%s\n", cudaGetErrorName(early));
    printf("%d %s %g %s\n", ms >= 0, cudaGetErrorName(error), sum, cudaGetErrorName(cudaGetLastError()));
}
