// kernel=density line=11 finding=KO111
#include <cmath>
#include <cstdio>

__global__ void density(const float* samples, const float* queries, float* out, int sampleCount, int queryCount, float width)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queryCount)
        return;
    float at = queries[q], sum = 0.f;
    const int share = (sampleCount + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(sampleCount, begin + share);
    for (int s = begin; s < end; s++)
    {
        float d = (samples[s] - at) / width;
        sum += expf(-0.5f * d * d);
    }
    atomicAdd(&out[q], sum / (sampleCount * width * 2.5066283f));
}

int main()
{
    const int sampleCount = 800, queryCount = 100;
    float *samples, *queries, *out;
    cudaMallocManaged(&samples, sampleCount * sizeof(float));
    cudaMallocManaged(&queries, queryCount * sizeof(float));
    cudaMallocManaged(&out, queryCount * sizeof(float));
    for (int i = 0; i < sampleCount; i++) samples[i] = (i * 37 % 211) / 211.0f;
    for (int i = 0; i < queryCount; i++) queries[i] = i / (float)queryCount;
    cudaMemset(out, 0, queryCount * sizeof(float));
    density<<<dim3((queryCount + 63) / 64, 32), 64>>>(samples, queries, out, sampleCount, queryCount, 0.1f);
    cudaDeviceSynchronize();
    float total = 0;
    for (int i = 0; i < queryCount; i++) total += out[i];
    printf("%.4f\n", total);
    cudaFree(samples);
    cudaFree(queries);
    cudaFree(out);
    return 0;
}
