// kernel=copyRow line=6 finding=KO113
#include <cstdio>

__global__ void copyRow(float *to, float *from, int n) {
    int i = threadIdx.x;
    if (i < n) to[i] = 2 * from[i];
}

int main() {
    float *rows;
    cudaMallocManaged(&rows, 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) rows[i] = i;
    float *second = rows + 32;
    copyRow<<<1, 32>>>(second, rows, 32);
    cudaDeviceSynchronize();
    return puts(rows[40] == 16 ? "PASS" : "FAIL"), 0;
}
