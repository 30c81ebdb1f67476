// decline: in place, neighbours of the other colour
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void smooth(float* u, const float* f, int n, int color) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < n - 1 && y < n - 1 && ((x + y) & 1) == color)
        u[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x] - f[y * n + x]);
}
int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    std::vector<float> h(n * n); for (int i = 0; i < n * n; ++i) h[i] = i % 7;
    float *u, *f; cudaMalloc(&u, n * n * 4); cudaMalloc(&f, n * n * 4);
    cudaMemcpy(u, h.data(), n * n * 4, cudaMemcpyHostToDevice); cudaMemcpy(f, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    dim3 b(16, 16), g((n + 13) / 16, (n + 13) / 16);
    for (int i = 0; i < 3; ++i) { smooth<<<g, b>>>(u, f, n, 0); smooth<<<g, b>>>(u, f, n, 1); }
    cudaMemcpy(h.data(), u, n * n * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (float v : h) s += v; printf("%f\n", s);
}
