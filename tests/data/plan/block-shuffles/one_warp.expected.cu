// kernel=small line=15 finding=KO115
#include <cstdio>

__global__ void small(const int *in, int *out, int n)
{
    int lane = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        int i = (blockIdx.x * 32 + lane) * 4 + k;
        sum += i < n ? in[i] : 0;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        out[blockIdx.x] = sum;
}

int main() {
    const int n = 20001;
    int *in, *h = new int[n];
    for (int i = 0; i < n; i++) h[i] = i % 91 - 20;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    const int blocks = (n + 31) / 32;
    int *out, *sums = new int[blocks];
    cudaMalloc(&out, blocks * sizeof(int));
    small<<<blocks, 32>>>(in, out, n);
    cudaMemcpy(sums, out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    double total = 0;
    for (int b = 0; b < blocks; b++) total += sums[b];
    printf("%.2f\n", total);
    return 0;
}
