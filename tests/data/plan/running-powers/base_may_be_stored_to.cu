// kernel=series line=10 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void series(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = 0.0f;
    for (int k = 0; k < 8; k++)
        out[i] += powf(in[i], k);
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, 2 * n * sizeof(float));
    in = out + n;
    for (int i = 0; i < n; ++i) in[i] = float(0.005) * (i + 1);
    series<<<2, 128>>>(out, out + n, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0;
        for (int k = 0; k < 8; k++) want += pow(x, k);
        if (!(fabs(out[i] - want) <= 1e-4 * fabs(want) + 1e-12)) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
