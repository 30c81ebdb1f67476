// kernel=column_sums line=7 finding=KO111
#include <cstdio>
__global__ void column_sums(const float *in, float *out, int n, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    if (c < m)
        for (int j = threadIdx.y; j < n; j += 16) {
            total += in[j * m + c];
        }
    __shared__ float total_parts[16][32];
    total_parts[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    total = total_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) total += total_parts[part][threadIdx.x];
    if (threadIdx.y == 0 && c < m) out[c] = total;
}
int main() {
    float *a, *b;
    cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&b, 64 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i % 3;
    column_sums<<<2, dim3(32, 16)>>>(a, b, 64, 64);
    cudaDeviceSynchronize();
    printf("%f\n", b[63]);
}
