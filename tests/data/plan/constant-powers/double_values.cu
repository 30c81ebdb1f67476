// kernel=energy line=7 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void energy(double *out, const double *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5 * std::pow(in[i], 2) + pow(in[i], -1);
}

int main() {
    const int n = 256;
    double *out, *in;
    cudaMallocManaged(&out, n * sizeof(double));
    cudaMallocManaged(&in, n * sizeof(double));
    for (int i = 0; i < n; ++i) in[i] = double(0.25) * (i + 1);
    energy<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0.5 * x * x + 1 / x;
        if (!(fabs(out[i] - want) <= 1e-5 * fabs(want))) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
