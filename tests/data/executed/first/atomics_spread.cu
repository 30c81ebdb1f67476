// Counting with atomics: shared by all, private to a thread, and scattered by a hash.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count_all(const int *v, int *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] % 3 == 0) atomicAdd(total, 1);
}

__global__ void own_slot(int *slots, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int r = 0; r < rounds; r++)
        atomicAdd(&slots[i], r);
}

__device__ unsigned hash(unsigned x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__global__ void scatter_counts(unsigned *table, int n, unsigned mask) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&table[hash(i) & mask], 1u);
}

__global__ void best_of(const float *x, int *best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = __float_as_int(x[i]);
    if (key > *best) atomicMax(best, key);
}

int main() {
    const int n = 16384;
    int *h = new int[n], *v, *s; unsigned *t;
    for (int i = 0; i < n; i++) h[i] = (i * 2654435761u) >> 7;
    cudaMalloc(&v, n * 4); cudaMalloc(&s, n * 4); cudaMalloc(&t, (1 << 16) * 4);
    cudaMemcpy(v, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemset(s, 0, n * 4); cudaMemset(t, 0, (1 << 16) * 4);
    count_all<<<n / 256, 256>>>(v, s, n);
    own_slot<<<n / 128, 128>>>(s, n, 10);
    scatter_counts<<<16, 256>>>(t, n, (1 << 16) - 1);
    best_of<<<n / 256, 256>>>((float *)v, s, n);
    cudaMemcpy(h, s, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    delete[] h;
    return 0;
}
