// kernel=count_codes line=16 finding=KO110
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { CODES = 200 };

__global__ void __launch_bounds__(1024) count_codes(const int *codes, unsigned int *seen, int n)
{
    __shared__ unsigned int block_seen[CODES];
    for (unsigned int c = threadIdx.x; c < CODES; c += blockDim.x) block_seen[c] = 0;
    __syncthreads();
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        if (codes[i] < CODES) atomicAdd(&block_seen[codes[i]], 1u);
    __syncthreads();
    for (unsigned int c = threadIdx.x; c < CODES; c += blockDim.x) atomicAdd(&seen[c], block_seen[c]);
}

int main()
{
    const int first = 9001, second = 5000, sm = 9;
    int *h = (int *)malloc(first * sizeof(int)), *codes;
    unsigned int *seen, before[CODES], after[CODES];
    cudaMalloc(&codes, first * sizeof(int));
    cudaMalloc(&seen, sizeof(before));
    cudaMemset(seen, 0, sizeof(before));

    for (int i = 0; i < first; i++) h[i] = (i * i) % 211;
    cudaMemcpy(codes, h, first * sizeof(int), cudaMemcpyHostToDevice);
    count_codes<<<2 * sm, 256>>>(codes, seen, first);
    cudaMemcpy(before, seen, sizeof(before), cudaMemcpyDeviceToHost);

    for (int i = 0; i < second; i++) h[i] = i % 17 * 12;
    cudaMemcpy(codes, h, second * sizeof(int), cudaMemcpyHostToDevice);
    count_codes<<<(second + 255) / 256, 256>>>(codes, seen, second);
    cudaMemcpy(after, seen, sizeof(after), cudaMemcpyDeviceToHost);

    for (int c = 0; c < CODES; c += 24) printf("%u+%u ", before[c], after[c] - before[c]);
    printf("\n");
    return 0;
}
