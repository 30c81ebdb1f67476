// kernel=evaluate line=11 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void evaluate(double *out, const double *in, int n, int degree) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i];
    double sum = 0.0;
    for (int k = 0; k <= degree; k++)
        sum += pow(x, k) / (k + 1);
    out[i] = sum;
}

int main() {
    const int n = 256;
    double *out, *in;
    cudaMallocManaged(&out, n * sizeof(double));
    cudaMallocManaged(&in, n * sizeof(double));
    for (int i = 0; i < n; ++i) in[i] = double(0.005) * (i + 1);
    evaluate<<<2, 128>>>(out, in, n, 5);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0;
        for (int k = 0; k <= 5; k++) want += pow(x, k) / (k + 1);
        if (!(fabs(out[i] - want) <= 1e-12 * fabs(want) + 1e-12)) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
