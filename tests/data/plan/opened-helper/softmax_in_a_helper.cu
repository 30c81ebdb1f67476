// kernel=softmax line=13 finding=KO101 technique=warp-per-row
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

// Exponentials of a row over their sum, in place.
__device__ void normalise(float *x, int n)
{
    float top = x[0];
    for (int i = 1; i < n; i++) top = fmaxf(top, x[i]);
    float sum = 0.f;
    for (int i = 0; i < n; i++) {
        x[i] = expf(x[i] - top);
        sum += x[i];
    }
    for (int i = 0; i < n; i++) x[i] /= sum;
}

__global__ void softmax(float *logits, int batch, int classes)
{
    int sample = blockIdx.x * blockDim.x + threadIdx.x;
    if (sample >= batch) return;
    normalise(&logits[sample * classes], classes);
}

int main()
{
    const int batch = 500, classes = 120;
    std::vector<float> logits(batch * classes);
    for (int i = 0; i < batch * classes; i++) logits[i] = (i * 29 % 83) * 0.05f;
    float *d;
    cudaMalloc(&d, logits.size() * sizeof(float));
    cudaMemcpy(d, logits.data(), logits.size() * sizeof(float), cudaMemcpyHostToDevice);
    softmax<<<(batch + 127) / 128, 128>>>(d, batch, classes);
    cudaMemcpy(logits.data(), d, logits.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < batch * classes; i++) sum += logits[i] * (i % 7);
    printf("%.4f\n", sum);
    return 0;
}
