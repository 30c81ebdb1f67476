// kernel=offsetsOfBlock line=16 finding=KO119
#include <iostream>

constexpr int kBlock = 128;

// exclusive prefix sum of the degrees of a block's vertices
__global__ void offsetsOfBlock(const unsigned int* degree, unsigned int* offset, unsigned int* total, int count)
{
    __shared__ unsigned int buf[2][kBlock];
    const int lane = threadIdx.x;
    const int v = blockIdx.x * kBlock + lane;
    int cur = 0;
    buf[cur][lane] = v < count ? degree[v] : 0u;
    __syncthreads();
    // Hillis and Steele
    for (int step = 1; step < kBlock; step <<= 1)
    {
        int nxt = cur ^ 1;
        buf[nxt][lane] = buf[cur][lane] + (lane >= step ? buf[cur][lane - step] : 0u);
        cur = nxt;
        __syncthreads();
    }
    if (v < count)
        offset[v] = lane == 0 ? 0u : buf[cur][lane - 1];
    if (lane == kBlock - 1)
        total[blockIdx.x] = buf[cur][lane];
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
