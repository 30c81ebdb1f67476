// kernel=softmax line=10 finding=KO101
#include <cstdio>
__global__ void softmax(float *scores, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float *row = scores + (size_t)r * n;
    float top = row[0];
    for (int j = 1; j < n; j++)
        top = fmaxf(top, row[j]);
    float total = 0;
    for (int j = 0; j < n; j++) {
        row[j] = expf(row[j] - top);
        total += row[j];
    }
    for (int j = 0; j < n; j++)
        row[j] /= total;
}
int main() {
    float *s;
    cudaMallocManaged(&s, 100 * 77 * 4);
    for (int i = 0; i < 7700; i++) s[i] = i * 7 % 33 * 0.1f;
    softmax<<<(100 + 63) / 64, 64>>>(s, 100, 77);
    cudaDeviceSynchronize();
    printf("%f\n", s[7699]);
}
