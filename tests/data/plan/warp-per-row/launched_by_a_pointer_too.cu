// kernel=norms line=7 finding=KO101
#include <cmath>

__global__ void norms(const float *vectors, float *norms, int count, int length) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= count) return;
    float sum = 0.0f; for (int i = 0; i < length; i++) sum += vectors[v * length + i] * vectors[v * length + i];
    norms[v] = sqrtf(sum);
}

void all(const float *vectors, float *result, int count, int length) {
    { float *norms = result; if (norms == nullptr) return; }
    void *arguments[] = {&vectors, &result, &count, &length};
    cudaLaunchKernel((const void *)&norms, dim3((count + 255) / 256), dim3(256), arguments, 0, 0);
    norms<<<(count + 127) / 128, 128>>>(vectors, result, count, length);
    auto again = norms;
    again<<<(count + 127) / 128, 128>>>(vectors, result, count, length);
}
