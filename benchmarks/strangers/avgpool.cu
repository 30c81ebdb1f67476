#include <cstdio>
#include <cstdlib>
#include <vector>
struct Dims { int n, c, h, w; };

__global__ void avg_pool(const float* in, float* out, Dims d, int oh, int ow, int k, int stride, int pad)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (ox >= ow || oy >= oh) return;
    const float* src = in + (size_t)plane * d.h * d.w;
    float sum = 0.0f;
    int count = 0;
    for (int r = 0; r < k; ++r) {
        int y = oy * stride - pad + r;
        if (y < 0 || y >= d.h) continue;
        for (int s = 0; s < k; ++s) {
            int x = ox * stride - pad + s;
            if (x < 0 || x >= d.w) continue;
            sum += src[y * d.w + x];
            count++;
        }
    }
    out[((size_t)plane * oh + oy) * ow + ox] = sum / count;
}
int main(int argc, char** argv)
{
    Dims d{2, 3, argc > 1 ? atoi(argv[1]) : 61, argc > 2 ? atoi(argv[2]) : 77};
    int k = 3, stride = 1, pad = 1, oh = (d.h + 2 * pad - k) / stride + 1, ow = (d.w + 2 * pad - k) / stride + 1;
    std::vector<float> h((size_t)d.n * d.c * d.h * d.w), o((size_t)d.n * d.c * oh * ow);
    for (size_t i = 0; i < h.size(); ++i) h[i] = (i % 97) * 0.25f;
    float *di, *dout;
    cudaMalloc(&di, h.size() * 4); cudaMalloc(&dout, o.size() * 4);
    cudaMemcpy(di, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    dim3 b(16, 16), g((ow + 15) / 16, (oh + 15) / 16, d.n * d.c);
    avg_pool<<<g, b>>>(di, dout, d, oh, ow, k, stride, pad);
    cudaMemcpy(o.data(), dout, o.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (float v : o) s += v;
    printf("%f\n", s);
}
