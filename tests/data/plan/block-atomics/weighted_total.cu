// kernel=weighted_sum line=11 finding=KO110
#include <cstdio>
#define THREADS 256

__global__ void weighted_sum(const float *values, float *total, float *weight_total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float w = 1.0f / (1 + i % 13);
        if (values[i] > 0.1f) {
            atomicAdd(total, values[i] * w);
            atomicAdd(weight_total, w);
        }
    }
}

int main() {
    const int n = 20003;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    float *sums, out[2];
    cudaMalloc(&sums, sizeof(out));
    cudaMemset(sums, 0, sizeof(out));
    weighted_sum<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, sums, sums + 1, n);
    cudaMemcpy(out, sums, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%.1f %.1f\n", out[0], out[1]);
    return 0;
}
