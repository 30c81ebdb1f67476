// kernel=square line=7 finding=KO118
#include <cstdio>

__global__ void square(long long *v, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        v[at] *= v[at];
    }
}

int main() {
    const int n = 3001;
    static long long a[n], b[n];
    static float c[n];
    for (int i = 0; i < n; ++i) {
        a[i] = (long long)(i * 37 % 201);
        b[i] = (long long)(i * 11 % 97);
    }
    long long *x, *y;
    float *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof c);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(z, 0, sizeof c);
    square<<<48, 64>>>(x, n);
    square<<<(n / 2 + 63) / 64, 64>>>(x, n / 2);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
