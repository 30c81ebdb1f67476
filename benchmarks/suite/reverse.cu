/*
 * reverse.cu - reverses an array in place. One thread swaps one pair.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void reverse_in_place(float *data, unsigned int n)
{
    unsigned int left = blockIdx.x * blockDim.x + threadIdx.x;
    if (left < n / 2)
    {
        unsigned int right = n - 1 - left;
        float tmp = data[left];
        data[left] = data[right];
        data[right] = tmp;
    }
}

int main(int argc, char *argv[])
{
    const unsigned int n = (argc > 1) ? std::strtoul(argv[1], nullptr, 10) : 50001;
    std::vector<float> host(n);
    for (unsigned int i = 0; i < n; ++i)
        host[i] = static_cast<float>(i % 1000003);

    float *device = nullptr;
    if (cudaMalloc(&device, n * sizeof(float)) != cudaSuccess)
    {
        std::puts("out of memory");
        return EXIT_FAILURE;
    }
    cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    const unsigned int threads = 128;
    const unsigned int blocks = (n / 2 + threads - 1) / threads;
    reverse_in_place<<<blocks, threads>>>(device, n);

    cudaError_t status = cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
    {
        std::printf("failed: %s\n", cudaGetErrorString(status));
        cudaFree(device);
        return EXIT_FAILURE;
    }
    std::printf("first %.0f, middle %.0f, last %.0f\n", host.front(), host[n / 2], host.back());
    cudaFree(device);
    return EXIT_SUCCESS;
}
