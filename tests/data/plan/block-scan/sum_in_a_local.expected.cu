// kernel=cumulate line=12 finding=KO119
#include <cstdio>

template <int BLOCK>
__global__ void cumulate(double *data, int n, double *carry) {
    __shared__ double smem[BLOCK / 32];
    int tx = threadIdx.x;
    int pos = blockIdx.x * BLOCK + tx;
    double x = 0.0;
    if (pos < n) x = data[pos];
    for (int offset = 1; offset < 32; offset *= 2) {
        double left = __shfl_up_sync(0xffffffff, x, offset);
        if (tx % 32 >= offset)
            x += left;
    }
    if (tx % 32 == 31)
        smem[tx / 32] = x;
    __syncthreads();
    for (int warp = 0; warp < tx / 32; warp++)
        x += smem[warp];
    double total = smem[0];
    for (int warp = 1; warp < BLOCK / 32; warp++)
        total += smem[warp];
    if (pos < n) data[pos] = x;
    __syncthreads();
    if (tx == 0) carry[blockIdx.x] = total;
}

int main() {
    const int n = 1000;
    double *data, *carry;
    cudaMallocManaged(&data, n * sizeof(double));
    cudaMallocManaged(&carry, 16 * sizeof(double));
    for (int i = 0; i < n; i++) data[i] = i % 13;
    cumulate<64><<<(n + 63) / 64, 64>>>(data, n, carry);
    cudaDeviceSynchronize();
    printf("%f\n", carry[0]);
}
