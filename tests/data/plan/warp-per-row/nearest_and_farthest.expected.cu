// kernel=extent line=12 finding=KO101
#include <cstdio>
#include <climits>

__global__ void extent(const int *values, int *low, int *high, long long *total, int n, int m)
{
    int row = (blockIdx.x * 64 + threadIdx.x) / 32;
    const int warp_lane = threadIdx.x % 32;
    if (row >= n) return;
    int lane = values[row * m];        // the first one
    int smallest = lane, largest = INT_MIN;
    long long sum = 0;
    for (int k = 1 + warp_lane; k <= m - 1; k += 32) {
        int v = values[row * m + k];
        if (v % 2 == 0) continue;
        if (v < smallest) smallest = v;
        if (largest < v) { largest = v; }
        sum -= v;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        smallest = min(smallest, __shfl_xor_sync(0xffffffff, smallest, offset));
        largest = max(largest, __shfl_xor_sync(0xffffffff, largest, offset));
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }
    if (warp_lane == 0) {
        low[row] = smallest;
        high[row] = largest;
        atomicAdd((unsigned long long *)total, (unsigned long long)sum);
    }
}

int main()
{
    int n = 70, m = 50, *v, *lo, *hi;
    long long *t;
    cudaMallocManaged(&v, n * m * sizeof(int));
    cudaMallocManaged(&lo, n * sizeof(int));
    cudaMallocManaged(&hi, n * sizeof(int));
    cudaMallocManaged(&t, sizeof(long long));
    for (int i = 0; i < n * m; i++) v[i] = i * 37 % 1009 - 500;
    *t = 0;
    extent<<<64, 64>>>(v, lo, hi, t, n, m);
    cudaDeviceSynchronize();
    int a = 0;
    for (int i = 0; i < n; i++) a += lo[i] + hi[i];
    printf("%d %lld\n", a, *t);
}
