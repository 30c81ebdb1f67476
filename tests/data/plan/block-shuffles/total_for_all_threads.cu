// kernel=normalise line=11 finding=KO115
#include <cstdio>

__global__ void normalise(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = i < n ? in[i] + 1.f : 0.f;
    s[threadIdx.x] = v;
    __syncthreads();
    for (int half = 32; half > 0; half = half / 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 5)
        out[blockIdx.x] = v / s[0];
}

int main() {
    const int n = 20001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    const int blocks = (n + 63) / 64;
    float *out, *sums = new float[blocks];
    cudaMalloc(&out, blocks * sizeof(float));
    normalise<<<blocks, 64>>>(in, out, n);
    cudaMemcpy(sums, out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0;
    for (int b = 0; b < blocks; b++) total += sums[b];
    printf("%.2f\n", total);
    return 0;
}
