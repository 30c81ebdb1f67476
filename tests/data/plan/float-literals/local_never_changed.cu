// kernel=relax line=11 finding=KO106
#include <cmath>
#include <cstdio>

__global__ void relax(float *out, const float *x, int n)
{
    double weight = 0.7, bias = 0.125;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = x[i];
        for (int k = 0; k < 16; ++k) s = s * weight + bias;
        out[i] = s;
    }
}

int main()
{
    float *x, *out;
    cudaMallocManaged(&x, 128 * sizeof(float));
    cudaMallocManaged(&out, 128 * sizeof(float));
    for (int i = 0; i < 128; ++i) x[i] = i / 16.0f - 2;
    relax<<<1, 128>>>(out, x, 128);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; ++i) {
        double s = x[i];
        for (int k = 0; k < 16; ++k) s = s * 0.7 + 0.125;
        if (std::fabs(out[i] - s) > 1e-5) return puts("FAIL"), 1;
    }
    return puts("PASS"), 0;
}
