// kernel=norm line=21 finding=KO111
#include <cstdio>

__global__ void norm(const int *x, float *out, int n) {
    __shared__ int part[256];
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}

int main() {
    const int n = 100000;
    int *x; float *out;
    cudaMallocManaged(&x, n * sizeof(int)); cudaMallocManaged(&out, sizeof(float));
    norm<<<1, 256>>>(x, out, n);
    cudaDeviceSynchronize();
    printf("%f\n", out[0]);
}
