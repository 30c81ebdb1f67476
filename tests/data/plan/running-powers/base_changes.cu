// kernel=series line=11 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void series(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    float x = in[i];
    for (int k = 0; k < 8; k++) {
        sum += powf(x, k);
        x *= 0.5f;
    }
    out[i] = sum;
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(0.005) * (i + 1);
    series<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0;
        for (int k = 0; k < 8; k++) want += pow(x * pow(0.5, k), k);
        if (!(fabs(out[i] - want) <= 1e-4 * fabs(want) + 1e-12)) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
