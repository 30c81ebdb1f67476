// kernel=fresnel line=9 finding=KO116
#include <cmath>
#include <cstdio>

__global__ void fresnel(float *reflected, const float *cosine, int count) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= count) return;
    const float m = 1.0f - cosine[pixel];
    reflected[pixel] = 0.04f + 0.96f * powf(m, 5.0f);
}

int main() {
    const int n = 256;
    float *out, *in;
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = float(1) / 256 * (i - 99);
    fresnel<<<2, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double x = in[i], want = 0.04 + 0.96 * pow(1.0 - x, 5);
        if (!(fabs(out[i] - want) <= 1e-5 * fabs(want))) return printf("FAIL %d: %g %g\n", i, (double)out[i], want), 1;
    }
    return puts("PASS"), 0;
}
