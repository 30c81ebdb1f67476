#include "imgk/imgk.h"
#include <cuda_runtime_api.h>
#include <stdexcept>

imgk::Buffer::Buffer(std::size_t count) : count_(count), device_(nullptr)
{
    if (cudaMalloc((void **)&device_, count * sizeof(float)) != cudaSuccess)
        throw std::runtime_error("out of device memory");
}
imgk::Buffer::~Buffer() { cudaFree(device_); }
void imgk::Buffer::upload(const float *from) { cudaMemcpy(device_, from, count_ * sizeof(float), cudaMemcpyHostToDevice); }
void imgk::Buffer::download(float *to) const { cudaMemcpy(to, device_, count_ * sizeof(float), cudaMemcpyDeviceToHost); }
