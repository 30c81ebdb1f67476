// kernel=meanVar line=27 finding=KO112
#include <cstdio>

__device__ float square(float x) { return x * x; }

__global__ void meanVar(const float *in, float *out, int count)
{
    float mean = 0.f;
    for (int k = 0; k < count; ++k) mean += in[k];
    mean /= count;

    float var = 0.f;
    for (int k = 0; k < count; ++k) var += square(in[k] - mean);
    out[0] = mean;
    out[1] = var / (count - 1);
}

int main() {
    const int n = 4001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    float *out, h1[2];
    cudaMalloc(&out, sizeof(h1));
    const int one = 1;
    meanVar<<<one, one>>>(in, out, n);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
