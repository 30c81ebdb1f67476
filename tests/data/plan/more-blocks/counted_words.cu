// kernel=count_long line=5 finding=KO111
#include <cstdio>
#include <vector>

__global__ void count_long(const unsigned char *lengths, unsigned long long *found, size_t n, int least)
{
    unsigned long long mine = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        mine += lengths[i] >= least;
    if (mine) atomicAdd(found, mine);
}

int main()
{
    const size_t n = 3 << 20;
    std::vector<unsigned char> lengths(n);
    for (size_t i = 0; i < n; i++) lengths[i] = i * 31 % 23;
    unsigned char *d;
    unsigned long long *found, host = 0;
    cudaMalloc(&d, n);
    cudaMalloc(&found, sizeof(*found));
    cudaMemcpy(d, lengths.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(found, 0, sizeof(*found));
    count_long<<<32, 256>>>(d, found, n, 12);
    cudaMemcpy(&host, found, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%llu words\n", host);
}
