// kernel=reduce1 line=12 finding=KO115
#include <cstdio>

__global__ void reduce1(const int *in, int *out, int n)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? in[i] : 0;
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2)
    {
        int index = 2 * s * tid;
        if (index < blockDim.x)
        {
            sdata[index] += sdata[index + s];
        }
        __syncthreads();
    }

    // write result for this block
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
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
