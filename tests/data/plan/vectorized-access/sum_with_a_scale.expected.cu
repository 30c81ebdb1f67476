// kernel=axpby line=6 finding=KO118
#include <cstdio>

__global__ void axpby(const float *x, const float *y, float *z, float s, int n) {
    const bool aligned = (reinterpret_cast<size_t>(x) | reinterpret_cast<size_t>(y) | reinterpret_cast<size_t>(z)) % 16 == 0;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (aligned && first + 4 <= n) {
        alignas(16) float x4[4];
        *reinterpret_cast<float4 *>(x4) = *reinterpret_cast<const float4 *>(x + first);
        alignas(16) float y4[4];
        *reinterpret_cast<float4 *>(y4) = *reinterpret_cast<const float4 *>(y + first);
        alignas(16) float z4[4];
        #pragma unroll
        for (int k = 0; k < 4; ++k)
            z4[k] = s * x4[k] + y4[k];
        *reinterpret_cast<float4 *>(z + first) = *reinterpret_cast<float4 *>(z4);
    } else {
        for (int i = first; i < n && i < first + 4; ++i)
            z[i] = s * x[i] + y[i];
    }
}

int main() {
    const int n = 3001;
    static float a[n], b[n];
    static float c[n];
    for (int i = 0; i < n; ++i) {
        a[i] = (float)(i * 37 % 201);
        b[i] = (float)(i * 11 % 97);
    }
    float *x, *y;
    float *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof c);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(z, 0, sizeof c);
    axpby<<<(n + 1023) / 1024, 256>>>(x, y, z, 1.5f, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
