// kernel=reduce1 line=12 finding=KO115
#include <cstdio>

__global__ void reduce1(const int *in, int *out, int n)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = (i < n) ? in[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (tid % 32 == 0)
        sdata[tid / 32] = value;
    __syncthreads();
    // write result for this block
    if (tid == 0)
    {
        for (int warp = 1; warp < 8; warp++)
            value += sdata[warp];
        out[blockIdx.x] = value;
    }
}

int main() {
    const int n = 20001;
    int *in, *h = new int[n];
    for (int i = 0; i < n; i++) h[i] = i % 91 - 20;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    const int blocks = (n + 255) / 256;
    int *out, *sums = new int[blocks];
    cudaMalloc(&out, blocks * sizeof(int));
    reduce1<<<blocks, 256, 256 * sizeof(int)>>>(in, out, n);
    cudaMemcpy(sums, out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    double total = 0;
    for (int b = 0; b < blocks; b++) total += sums[b];
    printf("%.2f\n", total);
    return 0;
}
