// kernel=softmax line=10 finding=KO101
#include <cstdio>
__global__ void softmax(float *scores, int rows, int n) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float *row = scores + (size_t)r * n;
    float top = row[0];
    for (int j = 1 + lane; j < n; j += 32)
        top = fmaxf(top, row[j]);
    for (int offset = 16; offset > 0; offset /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, offset));
    __syncwarp();
    float total = 0;
    for (int j = lane; j < n; j += 32) {
        row[j] = expf(row[j] - top);
        total += row[j];
    }
    for (int offset = 16; offset > 0; offset /= 2)
        total += __shfl_xor_sync(0xffffffff, total, offset);
    for (int j = lane; j < n; j += 32)
        row[j] /= total;
}
int main() {
    float *s;
    cudaMallocManaged(&s, 100 * 77 * 4);
    for (int i = 0; i < 7700; i++) s[i] = i * 7 % 33 * 0.1f;
    softmax<<<(100 + 1) / 2, 64>>>(s, 100, 77);
    cudaDeviceSynchronize();
    printf("%f\n", s[7699]);
}
