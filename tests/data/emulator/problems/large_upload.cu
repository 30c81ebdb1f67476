// Uploads more than a recording keeps: a small array, then one of 65 MiB of argv[1], then the small one again.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void first(const float *large, float *out) { out[threadIdx.x] = large[threadIdx.x]; }

int main(int argc, char **argv)
{
    std::vector<float> small(4, 1.0f), large((65u << 20) / sizeof(float), argc > 1 ? atof(argv[1]) : 2.0f);
    float *d_small, *d_large;
    cudaMalloc(&d_small, small.size() * sizeof(float));
    cudaMalloc(&d_large, large.size() * sizeof(float));
    cudaMemcpy(d_small, small.data(), small.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_large, large.data(), large.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_small, small.data(), small.size() * sizeof(float), cudaMemcpyHostToDevice);
    first<<<1, 4>>>(d_large, d_small);
    cudaMemcpy(small.data(), d_small, small.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", small[0]);
}
