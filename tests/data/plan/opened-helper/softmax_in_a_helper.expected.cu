// kernel=softmax line=13 finding=KO101 technique=warp-per-row
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__global__ void softmax(float *logits, int batch, int classes)
{
    int sample = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (sample >= batch) return;
    // Exponentials of a row over their sum, in place.
    float *x = &logits[sample * classes];
    float top = x[0];
    for (int i = 1 + lane; i < classes; i += 32) top = fmaxf(top, x[i]);
    for (int offset = 16; offset > 0; offset /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, offset));
    __syncwarp();
    float sum = 0.f;
    for (int i = lane; i < classes; i += 32) {
        x[i] = expf(x[i] - top);
        sum += x[i];
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    for (int i = lane; i < classes; i += 32) x[i] /= sum;
}

int main()
{
    const int batch = 500, classes = 120;
    std::vector<float> logits(batch * classes);
    for (int i = 0; i < batch * classes; i++) logits[i] = (i * 29 % 83) * 0.05f;
    float *d;
    cudaMalloc(&d, logits.size() * sizeof(float));
    cudaMemcpy(d, logits.data(), logits.size() * sizeof(float), cudaMemcpyHostToDevice);
    softmax<<<(batch + 3) / 4, 128>>>(d, batch, classes);
    cudaMemcpy(logits.data(), d, logits.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < batch * classes; i++) sum += logits[i] * (i % 7);
    printf("%.4f\n", sum);
    return 0;
}
