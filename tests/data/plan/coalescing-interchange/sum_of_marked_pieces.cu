// kernel=peak line=13 finding=KO101
#include <stdio.h>

/* largest reading; each thread looks through one stretch of them */
__global__ void peak(const int *reading, int *result, int n, int stretch)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    int a = stretch * t;
    int b = a + stretch;
    if (b > n) b = n;
    int top = -2147483647;
    for (int i = a; i < b; i++) {
        int v = reading[i] ^ t;
        top = v > top ? v : top;
    }
    atomicMax(result, top);
}

int main()
{
    const int n = 40000, threads = 6 * 128;
    int *reading, *result;
    cudaMallocManaged(&reading, n * sizeof(int));
    cudaMallocManaged(&result, sizeof(int));
    for (int i = 0; i < n; i++) reading[i] = i * 7919 % 10007;
    *result = -2147483647;
    peak<<<6, 128>>>(reading, result, n, (n + threads - 1) / threads);
    cudaDeviceSynchronize();
    printf("%d\n", *result);
    return 0;
}
