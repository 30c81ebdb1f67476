// kernel=ce_loss line=13 finding=KO101
#include <cstdio>
#include <cstdlib>
#include <math.h>

/* loss of every example, and how many were right */
__global__ void ce_loss(float *logits, int *labels, float *losses, int batch, int classes, int *right) {
    int b = threadIdx.x + blockIdx.x * blockDim.x;
    if (b < batch) {
        int label = labels[b];
        float biggest = logits[b * classes];
        float z = 0;
        for (int j = 0; j < classes; j++) { float v = logits[b * classes + j]; biggest = v > biggest ? v : biggest; }
        for (int j = 0; j < classes; j++) { z += expf(logits[b * classes + j] - biggest); }
        losses[b] = logf(z) + biggest - logits[b * classes + label];
        if (logits[b * classes + label] == biggest) atomicAdd(right, 1);
    }
}

int main(void) {
    const int B = 64, K = 40;
    float *lg, *ls; int *lb, *ok;
    cudaMallocManaged(&lg, B * K * sizeof(float)); cudaMallocManaged(&ls, B * sizeof(float));
    cudaMallocManaged(&lb, B * sizeof(int)); cudaMallocManaged(&ok, sizeof(int));
    for (int i = 0; i < B * K; i++) lg[i] = (i * 17 % 29) / 7.0f;
    for (int i = 0; i < B; i++) lb[i] = i % K;
    *ok = 0;
    ce_loss<<<B / 32, 32>>>(lg, lb, ls, B, K, ok);
    cudaDeviceSynchronize();
    float s = 0; for (int i = 0; i < B; i++) s += ls[i];
    printf("%.5f %d\n", s, *ok);
    return 0;
}
