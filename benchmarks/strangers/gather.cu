// decline vectors: gather through an index, offset start, stride 2
#include <cstdio>
#include <cstdlib>
__global__ void gather(const float *x, const int *idx, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[idx[i]];
}
__global__ void shift(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) y[i] = x[i] - x[i - 1];
}
__global__ void evens(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) y[i] = x[2 * i];
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 40000;
    float *x, *y; int *k;
    cudaMallocManaged(&x, n * 4); cudaMallocManaged(&y, n * 4); cudaMallocManaged(&k, n * 4);
    for (int i = 0; i < n; i++) { x[i] = i % 31; y[i] = 0; k[i] = (i * 17) % n; }
    gather<<<(n + 127) / 128, 128>>>(x, k, y, n);
    shift<<<(n + 127) / 128, 128>>>(y, x, n);
    evens<<<(n + 127) / 128, 128>>>(x, y, n);
    cudaDeviceSynchronize();
    double s = 0; for (int i = 0; i < n; i++) s += x[i] + y[i];
    printf("%f\n", s);
}
