// kernel=ranks line=9 finding=KO119
#include <cstdio>
#define THREADS 128

static __device__ int scanBlock(int value, int *scratch) {
    int tid = threadIdx.x;
    scratch[tid] = value;
    __syncthreads();
    for (int off = 1; off < THREADS; off <<= 1) {
        int x = 0;
        if (tid >= off) x = scratch[tid - off];
        __syncthreads();
        scratch[tid] += x;
        __syncthreads();
    }
    return scratch[tid];
}

// places of the even keys of a block, and of the others
__global__ void ranks(const int *keys, int *even, int *odd, int n) {
    __shared__ int scratch[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int is_even = i < n && (keys[i] & 1) == 0;
    int is_odd = i < n && (keys[i] & 1) == 1;
    int evens = scanBlock(is_even, scratch);
    int odds = scanBlock(is_odd, scratch);
    if (i < n) {
        even[i] = evens - is_even;
        odd[i] = odds - is_odd;
    }
}

int main() {
    int n = 2000, *keys, *even, *odd;
    cudaMallocManaged(&keys, n * sizeof(int));
    cudaMallocManaged(&even, n * sizeof(int));
    cudaMallocManaged(&odd, n * sizeof(int));
    for (int i = 0; i < n; i++) keys[i] = i * i % 31;
    ranks<<<(n + THREADS - 1) / THREADS, THREADS>>>(keys, even, odd, n);
    cudaDeviceSynchronize();
    printf("%d %d\n", even[n - 1], odd[n - 1]);
}
