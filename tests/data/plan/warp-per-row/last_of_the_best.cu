// kernel=predict line=10 finding=KO101
#include <cstdio>
#include <cfloat>
// the last of equal scores wins
__global__ void predict(const float *scores, int *label, int n, int classes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float most = -FLT_MAX;
    int at = 0;
    for (int c = 0; c < classes; ++c) {
        float s = scores[i * classes + c];
        if (s >= most) { most = s; at = c; }
    }
    label[i] = at;
}
int main() {
    float *a; int *b;
    cudaMallocManaged(&a, 6400 * 4); cudaMallocManaged(&b, 64 * 4);
    for (int i = 0; i < 6400; i++) a[i] = i * 7 % 33;
    predict<<<2, 32>>>(a, b, 64, 100);
    cudaDeviceSynchronize();
    printf("%d\n", b[63]);
}
