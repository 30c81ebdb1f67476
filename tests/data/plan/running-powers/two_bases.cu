// kernel=series line=12 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void series(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 5; k++) {
        sum += powf(x, k) - powf(1.0f - x, k);
        sum += powf(x, k);
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
        for (int k = 0; k < 5; k++) want += 2 * pow(x, k) - pow(1.0 - x, k);
        if (!(fabs(out[i] - want) <= 1e-3 * fabs(want) + 1e-12)) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
