// kernel=sum_parts line=12 finding=KO118
#include <cstdio>
#define N 256

__global__ void sum_parts(const float *x, float *parts, int n)
{
    __shared__ float buf[N];
    int t = threadIdx.x;
    float s = 0;
    // each block's sum is kept: other elements for a block would change it
    int step = N * gridDim.x;
    for (int i = blockIdx.x * N + t; i < n; i += step)
        s += x[i];
    buf[t] = s;
    __syncthreads();
    for (int h = N / 2; h > 0; h /= 2) {
        if (t < h) buf[t] += buf[t + h];
        __syncthreads();
    }
    if (t == 0) parts[blockIdx.x] = buf[0];
}

int main()
{
    const int n = 50000;
    static float h[n], p[16];
    for (int i = 0; i < n; i++) h[i] = i % 7;
    float *x, *y;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof p);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    sum_parts<<<16, N>>>(x, y, n);
    cudaMemcpy(p, y, sizeof p, cudaMemcpyDeviceToHost);
    for (float each : p) printf("%.1f\n", each);
}
