#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void mandel(int *it, int w, int h, double x0, double y0, double d, int most) {
    int px = threadIdx.x + blockDim.x * blockIdx.x, py = threadIdx.y + blockDim.y * blockIdx.y;
    if (px >= w || py >= h) return;
    double cx = x0 + px * d, cy = y0 + py * d, x = 0, y = 0; int k = 0;
    while (k < most && x * x + y * y <= 4) { double t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; ++k; }
    it[py * w + px] = k;
}
int main(int c, char **v) {
    int w = c > 1 ? atoi(v[1]) : 6000, h = w * 2 / 3; std::vector<int> r(w * h); int *d;
    cudaMalloc(&d, sizeof(int) * w * h);
    mandel<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, w, h, -2.1, -1.2, 3.0 / w, 2000);
    cudaMemcpy(r.data(), d, sizeof(int) * w * h, cudaMemcpyDeviceToHost);
    long s = 0; for (int k : r) s += k; printf("%ld\n", s);
}
