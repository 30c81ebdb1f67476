#include <cstdio>
#include <vector>

// out = sum over tiles of in, column by column
__global__ void columns(const float *in, float *out, int tiles)
{
    int x = threadIdx.x;
    float s = 0.f;
    for (int t = 0; t < tiles; t++)
        for (int k = 0; k < 4; k++) s += in[((blockIdx.x * tiles + t) * 64 + x) * 4 + (x + k) % 4] * (k + 1);
    out[blockIdx.x * 64 + x] = s;
}

int main()
{
    const int blocks = 8, tiles = 24, n = blocks * tiles * 256;
    std::vector<float> h(n), r(blocks * 64);
    for (int i = 0; i < n; i++) h[i] = (i * 73 % 251) / 128.0f - 1.0f;
    float *in, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, r.size() * 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    columns<<<blocks, 64>>>(in, out, tiles);
    cudaMemcpy(r.data(), out, r.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (float v : r) s += v;
    printf("%.3f\n", s);
}
