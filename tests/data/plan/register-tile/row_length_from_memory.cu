// kernel=ragged line=9 finding=KO108
#include <cstdio>

__global__ void ragged(const float *a, const float *b, const int *lengths, float *c, int n) {
    int row = blockIdx.y * 8 + threadIdx.y;
    int col = blockIdx.x * 8 + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < lengths[row]; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

int main() {
    const int n = 16;
    float *a, *b, *c;
    int *lengths;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    cudaMallocManaged(&lengths, n * sizeof(int));
    for (int i = 0; i < n * n; ++i) a[i] = b[i] = 1;
    for (int i = 0; i < n; ++i) lengths[i] = i;
    ragged<<<dim3(2, 2), dim3(8, 8)>>>(a, b, lengths, c, n);
    cudaDeviceSynchronize();
    return puts(c[n * 7] == 7 ? "PASS" : "FAIL"), 0;
}
