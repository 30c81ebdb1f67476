#include <cstdio>
#include <cstdlib>
__global__ void pass(unsigned *a, unsigned j, unsigned k) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, l = i ^ j;
    if (l > i) { unsigned p = a[i], q = a[l]; if ((p > q) == ((i & k) == 0)) { a[i] = q; a[l] = p; } }
}
int main(int argc, char **argv) {
    unsigned n = 1u << (argc > 1 ? atoi(argv[1]) : 23); unsigned *h = (unsigned *)malloc(n * 4), *d;
    for (unsigned i = 0; i < n; i++) h[i] = i * 2654435761u;
    cudaMalloc(&d, n * 4); cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
    for (unsigned k = 2; k <= n; k <<= 1) for (unsigned j = k >> 1; j; j >>= 1) pass<<<n / 512, 512>>>(d, j, k);
    cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);
    for (unsigned i = 1; i < n; i++) if (h[i - 1] > h[i]) { printf("not sorted at %u\n", i); return 1; }
    puts("sorted");
}
