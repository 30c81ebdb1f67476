// kernel=offsetsOfBlock line=16 finding=KO119
#include <iostream>

constexpr int kBlock = 128;

// exclusive prefix sum of the degrees of a block's vertices
__global__ void offsetsOfBlock(const unsigned int* degree, unsigned int* offset, unsigned int* total, int count)
{
    __shared__ unsigned int buf[kBlock / 64];
    const int lane = threadIdx.x;
    const int first = blockIdx.x * kBlock + lane * 2;
    const bool whole = (reinterpret_cast<size_t>(degree) | reinterpret_cast<size_t>(offset)) % 8 == 0 && first + 2 <= count;
    alignas(8) unsigned int items[2];
    if (whole)
    {
        *reinterpret_cast<uint2 *>(items) = *reinterpret_cast<const uint2 *>(degree + first);
    }
    else
    {
        #pragma unroll
        for (int k = 0; k < 2; ++k)
        {
            const int v = first + k;
            items[k] = v < count ? degree[v] : 0u;
        }
    }
    unsigned int sum = items[0] + items[1];
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned int left = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane % 32 >= distance)
            sum += left;
    }
    unsigned int running = __shfl_up_sync(0xffffffff, sum, 1);
    if (lane % 32 == 0)
        running = 0;
    if (lane % 32 == 31)
        buf[lane / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < lane / 32; warp++)
        running += buf[warp];
    alignas(8) unsigned int offset2[2];
    #pragma unroll
    for (int k = 0; k < 2; ++k)
    {
        offset2[k] = running;
        running += items[k];
    }
    if (whole)
    {
        *reinterpret_cast<uint2 *>(offset + first) = *reinterpret_cast<uint2 *>(offset2);
    }
    else
    {
        #pragma unroll
        for (int k = 0; k < 2; ++k)
            if (first + k < count)
                offset[first + k] = offset2[k];
    }
    if (lane == kBlock / 2 - 1)
        total[blockIdx.x] = running;
}

int main()
{
    const int count = 2000, blocks = (count + kBlock - 1) / kBlock;
    unsigned int *degree, *offset, *total;
    cudaMallocManaged(&degree, count * sizeof(unsigned int));
    cudaMallocManaged(&offset, count * sizeof(unsigned int));
    cudaMallocManaged(&total, blocks * sizeof(unsigned int));
    for (int i = 0; i < count; ++i) degree[i] = i * 37 % 11;
    offsetsOfBlock<<<blocks, kBlock / 2>>>(degree, offset, total, count);
    cudaDeviceSynchronize();
    std::cout << offset[kBlock - 1] << ' ' << total[blocks - 1] << std::endl;
}
