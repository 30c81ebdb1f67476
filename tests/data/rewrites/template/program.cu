#include <cstdio>
#include <vector>

__global__ void power(float *out, const float *in, int n, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i], s = 0.f;
    for (int d = 0; d < degree; d++) {
        float p = 1.f;
        for (int k = 0; k < d; k++) p *= v;
        s += p;
    }
    out[i] = s;
}

void polynomial(float *out, const float *in, int n)
{
    power<<<(n + 127) / 128, 128>>>(out, in, n, 12);
}

int main()
{
    const int n = 4000;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = (i % 200) / 200.0f;
    float *in, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    polynomial(out, in, n);
    cudaMemcpy(h.data(), out, n * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (float v : h) s += v;
    printf("%.2f\n", s);
}
