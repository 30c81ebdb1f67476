// kernel=steep line=7 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void steep(double *out, const double *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = pow(in[i], 6.0);
}

int main() {
    const int n = 256;
    double *out, *in;
    cudaMallocManaged(&out, n * sizeof(double));
    cudaMallocManaged(&in, n * sizeof(double));
    for (int i = 0; i < n; ++i) in[i] = double(1) / 256 * (i - 99);
    steep<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = pow(x, 6);
        if (!(fabs(out[i] - want) <= 1e-12 * fabs(want))) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
