// kernel=comb line=12 finding=KO118
#include <cstdio>

// each thread has a weight of its own for its elements
__global__ void comb(const float *x, const float *window, float *out, int n)
{
    __shared__ float buf[64];
    const int t = threadIdx.x;
    float weight = window[t];
    float s = 0;
    const float *row = x + blockIdx.x * n;
    for (int i = t; i < n; i += 64)
        s += weight * row[i];
    buf[t] = s;
    __syncthreads();
    for (int h = 32; h > 0; h /= 2) {
        if (t < h) buf[t] += buf[t + h];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = buf[0];
}

int main()
{
    const int rows = 3, n = 1024;
    static float h[rows * n], w[64], r[rows];
    for (int i = 0; i < rows * n; i++) h[i] = i % 23;
    for (int i = 0; i < 64; i++) w[i] = i / 64.0f;
    float *x, *window, *y;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&window, sizeof w);
    cudaMalloc(&y, sizeof r);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(window, w, sizeof w, cudaMemcpyHostToDevice);
    comb<<<rows, 64>>>(x, window, y, n);
    cudaMemcpy(r, y, sizeof r, cudaMemcpyDeviceToHost);
    for (float each : r) printf("%.3f\n", each);
}
