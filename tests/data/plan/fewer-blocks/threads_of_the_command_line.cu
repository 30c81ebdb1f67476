// kernel=votes line=17 finding=KO110
#include <cstdio>
#include <cstdlib>
#include <vector>
#define PARTIES 12

__global__ void votes(const short *party, int *count, int n)
{
    __shared__ int mine[PARTIES];
    for (int k = threadIdx.x; k < PARTIES; k += blockDim.x)
        mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[party[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < PARTIES; k += blockDim.x)
        atomicAdd(&count[k], mine[k]);
}

int main(int argc, char **argv)
{
    const int n = 20000, threads = argc > 1 ? atoi(argv[1]) : 256;
    std::vector<short> party(n);
    for (int i = 0; i < n; i++) party[i] = i * 3 % PARTIES;
    short *d_party;
    int *d_count, count[PARTIES];
    cudaMalloc(&d_party, n * sizeof(short));
    cudaMalloc(&d_count, sizeof(count));
    cudaMemcpy(d_party, party.data(), n * sizeof(short), cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(count));
    votes<<<24, threads>>>(d_party, d_count, n);
    cudaMemcpy(count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
    printf("%d %d\n", count[0], count[PARTIES - 1]);
    return 0;
}
