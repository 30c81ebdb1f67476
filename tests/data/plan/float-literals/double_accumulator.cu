// kernel=mean line=6 finding=KO106
#include <cstdio>

__global__ void mean(float *out, const float *in, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += in[i] * 0.5;
    out[0] = sum / n;
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 64 * sizeof(float));
    cudaMallocManaged(&out, sizeof(float));
    for (int i = 0; i < 64; ++i) in[i] = 2;
    mean<<<1, 1>>>(out, in, 64);
    cudaDeviceSynchronize();
    return puts(out[0] == 1 ? "PASS" : "FAIL"), 0;
}
