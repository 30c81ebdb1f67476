// Each reading in units of the spread of those around it; a floor keeps quiet stretches quiet.
#include <cstdio>
#include <vector>

__global__ void normalize(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int from = max(0, i - 8), to = min(n, i + 9);
    float mean = 0, variance = 0;
    for (int k = from; k < to; k++) mean += in[k];
    mean /= to - from;
    for (int k = from; k < to; k++) variance += (in[k] - mean) * (in[k] - mean);
    out[i] = (in[i] - mean) * rsqrtf(variance / (to - from) + 1e-2f);
}

int main()
{
    const int n = 3001;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (i * 71 % 211) / 105.0f - 1.0f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    normalize<<<(n + 127) / 128, 128>>>(out, in, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n / 2]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
