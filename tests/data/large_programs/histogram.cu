#include <cstdio>
#include <cstdlib>
typedef unsigned char u8;
__global__ void hist(const u8 *data, unsigned *bins, long n) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
}
int main(int argc, char *argv[]) {
    long n = argc > 1 ? atol(argv[1]) : 1L << 27;
    u8 *h = (u8 *)malloc(n), *d; unsigned *b, out[256];
    for (long i = 0; i < n; i++) h[i] = (i * i / 7 + i) % 251;
    cudaMalloc(&d, n); cudaMalloc(&b, sizeof out);
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof out);
    hist<<<1024, 256>>>(d, b, n);
    cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
    long total = 0; for (int i = 0; i < 256; i++) total += out[i];
    printf("%ld of %ld\n", total, n);
    return total != n;
}
