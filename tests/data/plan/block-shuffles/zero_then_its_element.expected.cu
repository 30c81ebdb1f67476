// kernel=reduce line=15 finding=KO115
#include <cstdio>
#include <vector>

__global__ void reduce(const float *in, float *out, unsigned int n)
{
    extern __shared__ float sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = 0;
    if (i < n)
        value = in[i];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (tid % 32 == 0)
        sdata[tid / 32] = value;
    __syncthreads();
    if (tid == 0) {
        for (int warp = 1; warp < 8; warp++)
            value += sdata[warp];
        out[blockIdx.x] = value;
    }
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
