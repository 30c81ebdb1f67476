// kernel=letters line=13 finding=KO118
#include <cstdio>
#define LETTERS 128

// how often each letter stands in a text; the blocks' tables are put together where they are not empty
__global__ void letters(const unsigned char *text, int *count, int n)
{
    __shared__ int mine[LETTERS];
    for (int c = threadIdx.x; c < LETTERS; c += blockDim.x)
        mine[c] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[text[i] & 127], 1);
    __syncthreads();
    for (int c = threadIdx.x; c < LETTERS; c += blockDim.x)
        if (mine[c] > 0)
            atomicAdd(&count[c], mine[c]);
}

int main()
{
    const int n = 20011;
    static unsigned char h[n];
    int total[LETTERS], *count;
    for (int i = 0; i < n; i++)
        h[i] = (i * 31 + i / 7) % 117;
    unsigned char *text;
    cudaMalloc(&text, n);
    cudaMalloc(&count, sizeof total);
    cudaMemcpy(text, h, n, cudaMemcpyHostToDevice);
    cudaMemset(count, 0, sizeof total);
    letters<<<4, 128>>>(text, count, n);
    cudaMemcpy(total, count, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d %d\n", total[3], total[116]);
}
