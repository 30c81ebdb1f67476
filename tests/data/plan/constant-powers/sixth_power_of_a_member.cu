// kernel=attract line=10 finding=KO116
#include <cmath>
#include <cstdio>

struct Pair { float ratio, depth; };

__global__ void attract(float *energy, const float *inverse, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        Pair p = {inverse[i], 2.0f};
        energy[i] = -p.depth * std::pow(p.ratio, 6.0f);
    }
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(1) / 256 * (i - 99);
    attract<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = -2 * pow(x, 6);
        if (!(fabs(out[i] - want) <= 1e-5 * fabs(want))) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
