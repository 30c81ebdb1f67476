// kernel=best line=8 finding=KO101
#include <cstdio>
__global__ void best(const float *in, int *where, int n, int m) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (i >= n) return;
    float most = in[i * m];
    int at = 0;
    for (int j = 1 + lane; j < m; j += 32) {
        if (in[i * m + j] > most) { most = in[i * m + j]; at = j; }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other_most = __shfl_xor_sync(0xffffffff, most, offset);
        int other_at = __shfl_xor_sync(0xffffffff, at, offset);
        if (other_most > most || (other_most == most && other_at < at)) {
            most = other_most;
            at = other_at;
        }
    }
    if (lane == 0) where[i] = at;
}
int main() {
    float *a; int *b;
    cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&b, 64 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i * 7 % 33;
    best<<<64, 32>>>(a, b, 64, 64);
    cudaDeviceSynchronize();
    printf("%d\n", b[63]);
}
