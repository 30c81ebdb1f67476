// kernel=average line=8 finding=KO106
#include <cstdio>

template <typename T>
__global__ void average(T *out, const T *a, const T *b) {
    int i = threadIdx.x;
    T sum = a[i] + b[i];
    out[i] = sum * 0.5;
}

int main() {
    int *a, *b, *out;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaMallocManaged(&b, 32 * sizeof(int));
    cudaMallocManaged(&out, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) a[i] = b[i] = i;
    average<<<1, 32>>>(out, a, b);
    cudaDeviceSynchronize();
    return puts(out[3] == 3 ? "PASS" : "FAIL"), 0;
}
