// invert, brighten and mix 8-bit pictures
#include <cstdio>
#include <cstdlib>
#include <cstdint>
__global__ void invert(uint8_t* p, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 255 - p[i];
}
__global__ void mix(const uint8_t* a, const uint8_t* b, uint8_t* o, int alpha, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = (a[i] * alpha + b[i] * (256 - alpha)) >> 8;
    o[i] = v > 255 ? 255 : uint8_t(v);
}
__global__ void to_float(const uint8_t* a, float* f, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) f[i] = a[i] / 255.0f;
}
int main(int argc, char** argv) {
    size_t n = argc > 1 ? strtoul(argv[1], 0, 10) : 60007;
    uint8_t *a, *b, *o; float* f;
    cudaMallocManaged(&a, n); cudaMallocManaged(&b, n); cudaMallocManaged(&o, n); cudaMallocManaged(&f, n * 4);
    for (size_t i = 0; i < n; ++i) { a[i] = uint8_t(i * 13); b[i] = uint8_t(i >> 3); }
    const int T = 512; int g = int((n + T - 1) / T);
    invert<<<g, T>>>(a, n);
    mix<<<g, T>>>(a, b, o, 77, n);
    to_float<<<g, T>>>(o, f, n);
    cudaDeviceSynchronize();
    double s = 0; for (size_t i = 0; i < n; ++i) s += f[i];
    printf("%.5f\n", s);
}
