// kernel=cumulate line=12 finding=KO119
#include <cstdio>

template <int BLOCK>
__global__ void cumulate(double *data, int n, double *carry) {
    __shared__ double smem[BLOCK];
    int tx = threadIdx.x;
    int pos = blockIdx.x * BLOCK + tx;
    double x = 0.0;
    if (pos < n) x = data[pos];
    smem[tx] = x;
    for (int h = 1; h < BLOCK; h <<= 1) {
        __syncthreads();
        double y = (tx - h >= 0) ? smem[tx - h] : 0.0;
        __syncthreads();
        x += y;
        smem[tx] = x;
    }
    if (pos < n) data[pos] = x;
    __syncthreads();
    if (tx == 0) carry[blockIdx.x] = smem[BLOCK - 1];
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
