// kernel=offsetsOfBlock line=16 finding=KO119
#include <iostream>

constexpr int kBlock = 128;

// exclusive prefix sum of the degrees of a block's vertices
__global__ void offsetsOfBlock(const unsigned int* degree, unsigned int* offset, unsigned int* total, int count)
{
    __shared__ unsigned int buf[kBlock / 32];
    const int lane = threadIdx.x;
    const int v = blockIdx.x * kBlock + lane;
    unsigned int sum = v < count ? degree[v] : 0u;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned int left = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane % 32 >= distance)
            sum += left;
    }
    unsigned int before = __shfl_up_sync(0xffffffff, sum, 1);
    if (lane % 32 == 0)
        before = 0;
    if (lane % 32 == 31)
        buf[lane / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < lane / 32; warp++) {
        sum += buf[warp];
        before += buf[warp];
    }
    if (v < count)
        offset[v] = before;
    if (lane == kBlock - 1)
        total[blockIdx.x] = sum;
}

int main()
{
    const int count = 2000, blocks = (count + kBlock - 1) / kBlock;
    unsigned int *degree, *offset, *total;
    cudaMallocManaged(&degree, count * sizeof(unsigned int));
    cudaMallocManaged(&offset, count * sizeof(unsigned int));
    cudaMallocManaged(&total, blocks * sizeof(unsigned int));
    for (int i = 0; i < count; ++i) degree[i] = i * 37 % 11;
    offsetsOfBlock<<<blocks, kBlock>>>(degree, offset, total, count);
    cudaDeviceSynchronize();
    std::cout << offset[kBlock - 1] << ' ' << total[blocks - 1] << std::endl;
}
