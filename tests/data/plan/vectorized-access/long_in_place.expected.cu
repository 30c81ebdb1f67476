// kernel=square line=7 finding=KO118
#include <cstdio>

__global__ void square(long long *v, int count) {
    const bool aligned = reinterpret_cast<size_t>(v) % 16 == 0;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (aligned && first + 2 <= count) {
        alignas(16) long long v2[2];
        *reinterpret_cast<int4 *>(v2) = *reinterpret_cast<const int4 *>(v + first);
        #pragma unroll
        for (int k = 0; k < 2; ++k)
            v2[k] *= v2[k];
        *reinterpret_cast<int4 *>(v + first) = *reinterpret_cast<int4 *>(v2);
    } else {
        for (int at = first; at < count && at < first + 2; ++at)
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
    square<<<24, 64>>>(x, n);
    square<<<(n / 2 + 127) / 128, 64>>>(x, n / 2);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
