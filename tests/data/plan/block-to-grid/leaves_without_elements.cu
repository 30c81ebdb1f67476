// kernel=norm line=24 finding=KO111
#include <cstdio>

__global__ void norm(const float *x, float *out, int n) {
    if (n < 2) return;
    __shared__ float part[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) sum += x[i] * x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}

int main() {
    const int n = 100000;
    float *x, *out;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&out, 2 * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = (i % 9) * 0.5f;
    norm<<<1, 256>>>(x, out, n);
    cudaDeviceSynchronize();
    printf("%f\n", out[0]);
}
