// kernel=centre line=13 finding=KO118
#include <cstdio>

// the sum reads what its own thread stored: no barrier stands between the loops
__global__ void centre(float *x, const float *shift, float *mean, int n)
{
    __shared__ float buf[128];
    float *row = x + blockIdx.x * n;
    for (int i = threadIdx.x; i <= n - 1; i += 128)
        row[i] -= shift[blockIdx.x];
    float s = 0;
    // thread t reads elements t, t + 128, ...
    for (int i = threadIdx.x; i < n; i += 128)
        s += row[i];
    buf[threadIdx.x] = s;
    __syncthreads();
    for (int h = 64; h > 0; h /= 2) {
        if (threadIdx.x < h) buf[threadIdx.x] += buf[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) mean[blockIdx.x] = buf[0] / n;
}

int main()
{
    const int rows = 5, n = 777;
    static float h[rows * n], m[rows];
    for (int i = 0; i < rows * n; i++) h[i] = i % 11;
    float shift[rows] = {1, 2, 3, 4, 5};
    float *x, *s, *y;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&s, sizeof shift);
    cudaMalloc(&y, sizeof m);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(s, shift, sizeof shift, cudaMemcpyHostToDevice);
    centre<<<rows, 128>>>(x, s, y, n);
    cudaMemcpy(m, y, sizeof m, cudaMemcpyDeviceToHost);
    for (float each : m) printf("%.4f\n", each);
}
