// kernel=countBases line=18 finding=KO110
#include <cstdio>
#include <cstdlib>

__global__ void countBases(const char *dna, unsigned *bases, int n)
{
    __shared__ unsigned found[4];
    if (threadIdx.x < 4) found[threadIdx.x] = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        char c = dna[i];
        atomicAdd(&found[c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : 3], 1u);
    }
    __syncthreads();

    if (threadIdx.x < 4) atomicAdd(&bases[threadIdx.x], found[threadIdx.x]);
}

int main()
{
    const int n = 9999;
    char *h = (char *)malloc(n), *dna;
    for (int i = 0; i < n; i++) h[i] = "ACGTTGCA"[(i * 5 + i / 9) & 7];
    unsigned result[4], *bases;
    cudaMalloc(&dna, n);
    cudaMalloc(&bases, sizeof(result));
    cudaMemcpy(dna, h, n, cudaMemcpyHostToDevice);
    cudaMemset(bases, 0, sizeof(result));
    countBases<<<(n + 255) / 256, 256>>>(dna, bases, n);
    cudaMemcpy(result, bases, sizeof(result), cudaMemcpyDeviceToHost);
    printf("A %u C %u G %u T %u\n", result[0], result[1], result[2], result[3]);
    return 0;
}
