// kernel=reduce line=15 finding=KO115
#include <cstdio>
#include <vector>

__global__ void reduce(const float *in, float *out, unsigned int n)
{
    extern __shared__ float sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = 0;
    if (i < n)
        sdata[tid] = in[i];
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockDim.x)
            sdata[index] += sdata[index + s];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

int main()
{
    const unsigned int n = 5000, blocks = (n + 255) / 256;
    std::vector<float> h(n), sums(blocks);
    for (unsigned int i = 0; i < n; ++i)
        h[i] = i % 17 * 0.25f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<blocks, 256, 256 * sizeof(float)>>>(in, out, n);
    cudaMemcpy(sums.data(), out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    for (unsigned int b = 0; b < blocks; ++b)
        printf("%.2f\n", sums[b]);
    return 0;
}
