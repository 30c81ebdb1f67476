// kernel=meanVar line=27 finding=KO112
#include <cstdio>

__device__ float square(float x) { return x * x; }

__global__ void meanVar(const float *in, float *out, int count)
{
    float mean = 0.f;
    for (int k = threadIdx.x; k < count; k += 256) mean += in[k];
    for (int offset = 16; offset > 0; offset /= 2)
        mean += __shfl_down_sync(0xffffffff, mean, offset);
    __shared__ float warp_mean[8];
    if (threadIdx.x % 32 == 0)
        warp_mean[threadIdx.x / 32] = mean;
    __syncthreads();
    mean = warp_mean[0];
    for (int warp = 1; warp < 8; warp++)
        mean += warp_mean[warp];
    mean /= count;

    float var = 0.f;
    for (int k = threadIdx.x; k < count; k += 256) var += square(in[k] - mean);
    for (int offset = 16; offset > 0; offset /= 2)
        var += __shfl_down_sync(0xffffffff, var, offset);
    __shared__ float warp_var[8];
    if (threadIdx.x % 32 == 0)
        warp_var[threadIdx.x / 32] = var;
    __syncthreads();
    var = warp_var[0];
    for (int warp = 1; warp < 8; warp++)
        var += warp_var[warp];
    if (threadIdx.x == 0) {
        out[0] = mean;
        out[1] = var / (count - 1);
    }
}

int main() {
    const int n = 4001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    float *out, h1[2];
    cudaMalloc(&out, sizeof(h1));
    const int one = 1;
    meanVar<<<one, 256>>>(in, out, n);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
