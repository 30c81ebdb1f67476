// kernel=quartic line=7 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void quartic(double *kurtosis, const double *deviation, int n) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) kurtosis[i] = pow(deviation[i], 4);
}

int main() {
    const int n = 256;
    double *out, *in;
    cudaMallocManaged(&out, n * sizeof(double));
    cudaMallocManaged(&in, n * sizeof(double));
    for (int i = 0; i < n; ++i) in[i] = double(1) / 256 * (i - 99);
    quartic<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = x * x * x * x;
        if (!(fabs(out[i] - want) <= 1e-12 * fabs(want))) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
