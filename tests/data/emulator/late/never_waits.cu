// Ends without waiting: what its kernel prints never comes, and the memory that its copies name is gone.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void add(float* x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] += 1.0f;
    if (threadIdx.x == 0) printf("from the kernel\n");
}

int main() {
    float* device;
    std::vector<float> host(64, 1.0f);
    cudaHostRegister(host.data(), 256, 0);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&device, 256);
    cudaMemcpyAsync(device, host.data(), 256, cudaMemcpyHostToDevice, stream);
    add<<<1, 64, 0, stream>>>(device, 64);
    cudaMemcpyAsync(host.data(), device, 256, cudaMemcpyDeviceToHost, stream);
    printf("end\n");
}
