// A tree of sums in shared memory, with divergent warps.
#include <cstdio>
#include <vector>

__global__ void sum(float *out, const float *in, int n)
{
    __shared__ float part[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0.0f;
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0)
            part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main()
{
    const int n = 30001;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i * 31 % 257) / 16.0f - 8.0f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    sum<<<(n + 255) / 256, 256>>>(out, in, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
