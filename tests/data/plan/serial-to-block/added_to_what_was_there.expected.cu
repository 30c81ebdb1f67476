// kernel=add_up line=19 finding=KO112
#include <cstdio>

__global__ void add_up(const long long *in, long long *out, int n, long long start)
{
    long long sum = start;
    if (threadIdx.x != 0) sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += in[i] % 7;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ long long warp_sum[8];
    if (threadIdx.x % 32 == 0)
        warp_sum[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = warp_sum[0];
    for (int warp = 1; warp < 8; warp++)
        sum += warp_sum[warp];
    if (threadIdx.x == 0) out[0] = sum;
}

int main() {
    const int n = 4001;
    long long *in, *h = new long long[n];
    for (int i = 0; i < n; i++) h[i] = i * 31;
    cudaMalloc(&in, n * sizeof(long long));
    cudaMemcpy(in, h, n * sizeof(long long), cudaMemcpyHostToDevice);
    long long *out, h1[1];
    cudaMalloc(&out, sizeof(h1));
    add_up<<<1, 256>>>(in, out, n, 12);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
