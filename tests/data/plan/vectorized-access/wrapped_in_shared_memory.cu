// kernel=fold line=10 finding=KO118
#include <cstdio>

// every thread adds up in an element of its own
__global__ void fold(const int *x, int *out, int n)
{
    __shared__ int buf[128];
    buf[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 128)
        buf[i % 128] += x[i];
    __syncthreads();
    for (int h = 64; h > 0; h /= 2) {
        if (threadIdx.x < h) buf[threadIdx.x] += buf[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = buf[0];
}

int main()
{
    const int n = 5000;
    static int h[n];
    int r;
    for (int i = 0; i < n; i++) h[i] = i % 31;
    int *x, *y;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof r);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    fold<<<1, 128>>>(x, y, n);
    cudaMemcpy(&r, y, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
}
