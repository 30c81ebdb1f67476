// kernel=clip line=8 finding=KO118
#include <cstdio>

template <typename T>
__global__ void clip(T *g, T *moved, T limit, int n) {
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        moved[i] += 1;
        if (g[i] <= limit) continue;
        moved[i] = g[i] - limit;
        g[i] = limit;
    }
}

int main() {
    const int n = 3001;
    static double a[n], b[n];
    static double c[n];
    for (int i = 0; i < n; ++i) {
        a[i] = (double)(i * 37 % 201);
        b[i] = (double)(i * 11 % 97);
    }
    double *x, *y;
    double *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof c);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(z, 0, sizeof c);
    clip<double><<<3, 64>>>(x, z, 150.0, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
