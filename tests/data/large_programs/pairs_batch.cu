// distance matrix of two batches of points, batch in grid.z
#include <cstdio>
#include <cstdlib>
#include <cmath>
__global__ void dist(const float *p, const float *q, float *d, int n, int dim) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y, b = blockIdx.z;
    if (i >= n || j >= n) return;
    float s = 0; const float *a = p + ((size_t)b * n + i) * dim, *c = q + ((size_t)b * n + j) * dim;
    for (int k = 0; k < dim; k++) { float t = a[k] - c[k]; s += t * t; }
    d[((size_t)b * n + i) * n + j] = sqrtf(s);
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000, dim = 64, batch = argc > 2 ? atoi(argv[2]) : 40;
    size_t m = (size_t)batch * n * dim, out = (size_t)batch * n * n; float *h = new float[m], *p, *q, *d;
    for (size_t i = 0; i < m; i++) h[i] = sinf(i);
    cudaMalloc(&p, m * 4); cudaMalloc(&q, m * 4); cudaMalloc(&d, out * 4);
    cudaMemcpy(p, h, m * 4, cudaMemcpyHostToDevice); for (size_t i = 0; i < m; i++) h[i] += 0.5f; cudaMemcpy(q, h, m * 4, cudaMemcpyHostToDevice);
    dist<<<dim3((n + 15) / 16, (n + 15) / 16, batch), dim3(16, 16)>>>(p, q, d, n, dim);
    float x; cudaMemcpy(&x, d + out - 1, 4, cudaMemcpyDeviceToHost); printf("%f\n", x);
}
