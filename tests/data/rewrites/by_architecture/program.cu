#include <cstdio>
#include <vector>

__global__ void largest(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned best[256];
    unsigned v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = max(v, in[i]);
    best[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x; k++) v = max(v, best[k]);
        atomicMax(out, v);
    }
}

int main()
{
    const int n = 8192;
    std::vector<unsigned> h(n);
    for (int i = 0; i < n; i++) h[i] = (i * 2654435761u) >> 7;
    unsigned *in, *out, top = 0;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    largest<<<8, 256>>>(in, out, n);
    cudaMemcpy(&top, out, 4, cudaMemcpyDeviceToHost);
    printf("%u\n", top);
}
