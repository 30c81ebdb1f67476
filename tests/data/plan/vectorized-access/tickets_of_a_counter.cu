// kernel=tickets line=12 finding=KO118
#include <cstdio>

// the place of an element is the ticket that its thread drew
__global__ void tickets(const unsigned char *kind, int *ticket, int n)
{
    __shared__ int drawn[16];
    if (threadIdx.x < 16)
        drawn[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        ticket[i] = atomicAdd(&drawn[kind[i]], 1);
}

int main()
{
    const int n = 600;
    static unsigned char h[n];
    static int out[n];
    for (int i = 0; i < n; i++)
        h[i] = i % 16;
    unsigned char *kind;
    int *ticket;
    cudaMalloc(&kind, n);
    cudaMalloc(&ticket, sizeof out);
    cudaMemcpy(kind, h, n, cudaMemcpyHostToDevice);
    tickets<<<1, 64>>>(kind, ticket, n);
    cudaMemcpy(out, ticket, sizeof out, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += out[i];
    printf("%ld\n", sum);
}
