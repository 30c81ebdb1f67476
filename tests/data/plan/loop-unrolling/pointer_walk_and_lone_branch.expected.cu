// kernel=taps line=12 finding=KO114
#include <cstdio>

__global__ void taps(float *out, const float *in, const float *weights, int n) {
    const float *p = in + blockIdx.x * blockDim.x + threadIdx.x;
    float *q = out + blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (p < in + n)
        for (unsigned w = 0; w != 7; w += 1, p++) sum += *p * weights[w];
    float norm = 0;
    if (q < out + n)
        #pragma unroll
        for (unsigned w = 1; w <= 7u; w += 2) norm += weights[w - 1];
    if (q < out + n) *q = sum + norm;
}

int main() {
    const int n = 64;
    float *in, *out, *weights;
    cudaMallocManaged(&in, (n + 6) * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&weights, 8 * sizeof(float));
    for (int i = 0; i < n + 6; ++i) in[i] = 1;
    for (int i = 0; i < 8; ++i) weights[i] = 0.5f;
    for (int pass = 0; pass < 2; ++pass) taps<<<3, 32>>>(out, in, weights, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        if (out[i] != 5.5f) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
