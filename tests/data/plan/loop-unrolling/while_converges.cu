// kernel=collatz line=6 finding=KO114
#include <cstdio>

__global__ void collatz(int *x) {
    int value = x[threadIdx.x], steps = 0;
    while (value != 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        ++steps;
    }
    x[threadIdx.x] = steps;
}

int main() {
    int *x;
    cudaMallocManaged(&x, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) x[i] = i + 1;
    collatz<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    return puts(x[5] == 8 ? "PASS" : "FAIL"), 0;
}
