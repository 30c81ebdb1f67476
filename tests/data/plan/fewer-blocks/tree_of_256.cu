// kernel=energy line=19 finding=KO110
#include <cstdio>
#include <vector>

__global__ void energy(const float *v, float *total, int n)
{
    __shared__ float s[256];
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        mine += 0.5f * v[i] * v[i];
    s[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(total, s[0]);
}

int main()
{
    const int n = 10000;
    std::vector<float> v(n);
    for (int i = 0; i < n; i++) v[i] = (i % 8) * 0.5f;
    float *d_v, *d_total, total = 0.0f;
    cudaMalloc(&d_v, n * sizeof(float));
    cudaMalloc(&d_total, sizeof(float));
    cudaMemcpy(d_v, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(float));
    energy<<<16, 256>>>(d_v, d_total, n);
    cudaMemcpy(&total, d_total, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", total);
    return 0;
}
