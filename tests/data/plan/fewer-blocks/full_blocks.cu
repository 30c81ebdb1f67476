// kernel=tally line=16 finding=KO110
#include <cstdio>
#include <vector>
#define KINDS 40

__global__ void tally(const short *kind, int *count, int n)
{
    __shared__ int mine[KINDS];
    for (int k = threadIdx.x; k < KINDS; k += blockDim.x)
        mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[kind[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < KINDS; k += blockDim.x)
        atomicAdd(&count[k], mine[k]);
}

int main()
{
    const int n = 20000;
    std::vector<short> kind(n);
    for (int i = 0; i < n; i++) kind[i] = i * 3 % KINDS;
    short *d_kind;
    int *d_count, count[KINDS];
    cudaMalloc(&d_kind, n * sizeof(short));
    cudaMalloc(&d_count, sizeof(count));
    cudaMemcpy(d_kind, kind.data(), n * sizeof(short), cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(count));
    tally<<<8, 1024>>>(d_kind, d_count, n);
    cudaMemcpy(count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
    printf("%d %d\n", count[0], count[KINDS - 1]);
    return 0;
}
