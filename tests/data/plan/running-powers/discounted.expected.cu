// kernel=discount line=12 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void discount(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float rate = in[i];
    float value = 0.0f;
    float power = 1.0f + rate;
    for (int t = 1; t <= 12; ++t) {
        float flow = 100.0f + t;
        value += flow / power;  // paid at the end of year t
        power *= 1.0f + rate;
    }
    out[i] = value;
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(0.005) * (i + 1);
    discount<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0;
        for (int t = 1; t <= 12; ++t) want += (100.0 + t) / pow(1.0 + x, t);
        if (!(fabs(out[i] - want) <= 1e-4 * fabs(want) + 1e-12)) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
