#include <cstdio>
#include <vector>
using namespace std;
constexpr int W = 512, H = 256;
template <typename T, int R>
__global__ void blur(T *dst, const T *src, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    T sum = 0; int cnt = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            int xx = x + dx, yy = y + dy;
            if (xx >= 0 && xx < w && yy >= 0 && yy < h) { sum += src[yy * w + xx]; cnt++; }
        }
    dst[y * w + x] = sum / cnt;
}
template __global__ void blur<float, 2>(float *, const float *, int, int);

int main()
{
    vector<float> img(W * H), out(W * H);
    for (int i = 0; i < W * H; i++) img[i] = float(i % 255) / 255.f;
    float *a, *b;
    cudaMalloc(&a, img.size() * 4); cudaMalloc(&b, img.size() * 4);
    cudaMemcpy(a, img.data(), img.size() * 4, cudaMemcpyHostToDevice);
    dim3 block(8, 8), grid((W + 7) / 8, (H + 7) / 8);
    blur<float, 2><<<grid, block>>>(b, a, W, H);
    cudaMemcpy(out.data(), b, out.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (float v : out) s += v;
    printf("mean %.5f\n", s / (W * H));
}
