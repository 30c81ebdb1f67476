// kernel=finish line=20 finding=KO112
#include <cstdio>

__global__ void finish(const float *in, float *result, int blocks)
{
    float sum = 0;
    for (int b = threadIdx.x; b < blocks; b += 256)
        sum += in[b];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ float warp_sum[8];
    if (threadIdx.x % 32 == 0)
        warp_sum[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = warp_sum[0];
    for (int warp = 1; warp < 8; warp++)
        sum += warp_sum[warp];
    if (threadIdx.x == 0) *result = sum;
}

int main() {
    const int n = 4001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    float *out, h1[1];
    cudaMalloc(&out, sizeof(h1));
    finish<<<1, 256>>>(in, out, n);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
