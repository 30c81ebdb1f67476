// decline: random state per thread, subpointers that are not aligned, a store under a data condition
#include <cstdio>
#include <cstdlib>
__global__ void noise(float* x, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = seed ^ (threadIdx.x * 747796405u + blockIdx.x);
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    if (i < n) x[i] += (s & 0xffff) * 1e-6f;
}
__global__ void mark(const float* x, int* hits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.5f) atomicAdd(hits, 1);
}
__global__ void halve(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 0.5f;
}
int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20001;
    float* x; int* h; cudaMallocManaged(&x, (n + 4) * 4); cudaMallocManaged(&h, 4);
    for (int i = 0; i < n + 4; ++i) x[i] = (i % 10) * 0.1f; *h = 0;
    noise<<<(n + 255) / 256, 256>>>(x, n, 17); mark<<<(n + 255) / 256, 256>>>(x, h, n);
    halve<<<(n + 255) / 256, 256>>>(x + 1, n);
    cudaDeviceSynchronize();
    double s = 0; for (int i = 0; i < n; ++i) s += x[i]; printf("%d %f\n", *h, s);
}
