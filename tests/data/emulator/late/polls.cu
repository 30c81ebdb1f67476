// More launches than a queue holds, a stream that is asked until it is done, and errors: of a configuration at once, of a kernel later.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(float* x, int n, float b) {
    int i = threadIdx.x;
    if (i < n) x[i] += b;
}

int main() {
    float *device, *host;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&device, 256);
    cudaMallocHost(&host, 256);
    cudaMemset(device, 0, 256);
    for (int i = 0; i < 1500; i++) add<<<1, 64, 0, stream>>>(device, 64, 1.0f);
    cudaMemcpy2DAsync(host, 16, device, 32, 16, 8, cudaMemcpyDeviceToHost, stream);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
    printf("%g %g %s\n", host[0], host[31], cudaGetErrorName(cudaGetLastError()));
    add<<<1, 2000, 0, stream>>>(device, 64, 1.0f);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    add<<<1, 64, 0, stream>>>((float*)8, 64, 1.0f);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
}
