#include <cstdio>
#include <cstdlib>
#define IDX(i, j, k) ((size_t)(i) + (size_t)nx * ((j) + (size_t)ny * (k)))
__global__ void heat(const float *__restrict__ u, float *__restrict__ v, int nx, int ny, int nz, float c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    v[IDX(i, j, k)] = u[IDX(i, j, k)] + c * (u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] + u[IDX(i, j - 1, k)] + u[IDX(i, j + 1, k)]
                      + u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)] - 6.f * u[IDX(i, j, k)]);
}
int main(int argc, char **argv) {
    int nx = argc > 1 ? atoi(argv[1]) : 320, ny = nx, nz = nx, T = argc > 2 ? atoi(argv[2]) : 50;
    size_t n = (size_t)nx * ny * nz; float *h = (float *)malloc(n * 4), *u, *v;
    for (size_t i = 0; i < n; i++) h[i] = (i * 31 % 101) / 101.f;
    cudaMalloc(&u, n * 4); cudaMalloc(&v, n * 4);
    cudaMemcpy(u, h, n * 4, cudaMemcpyHostToDevice); cudaMemcpy(v, h, n * 4, cudaMemcpyHostToDevice);
    dim3 b(32, 4, 2), g((nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2);
    for (int t = 0; t < T; t++) { heat<<<g, b>>>(u, v, nx, ny, nz, 0.1f); float *s = u; u = v; v = s; }
    cudaMemcpy(h, u, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[n / 2]);
}
