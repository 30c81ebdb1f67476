// kernel=normalise line=24 finding=KO112
#include <cstdio>

// makes the sum of all weights one
__global__ void normalise(float *in, int n, float *out)
{
    float total = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        total += in[i];
    for (int offset = 16; offset > 0; offset /= 2)
        total += __shfl_down_sync(0xffffffff, total, offset);
    __shared__ float warp_total[8];
    if (threadIdx.x % 32 == 0)
        warp_total[threadIdx.x / 32] = total;
    __syncthreads();
    total = warp_total[0];
    for (int warp = 1; warp < 8; warp++)
        total += warp_total[warp];
    for (int i = threadIdx.x; i < n; i += 256)
        in[i] = in[i] / total;
    if (threadIdx.x == 0) {
        out[0] = total;
        out[1] = 1 / total;
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
    normalise<<<1, 256>>>(in, n, out);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
