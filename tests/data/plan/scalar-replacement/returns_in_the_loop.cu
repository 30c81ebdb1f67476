// kernel=search line=7 finding=KO107
#include <cstdio>

__global__ void search(int *__restrict__ probes, const int *__restrict__ table, int wanted, int n) {
    int t = threadIdx.x;
    for (int i = t; i < n; i += 32) {
        probes[t] += 1;
        if (table[i] == wanted) return;
    }
}

int main() {
    int *probes, *table;
    cudaMallocManaged(&probes, 32 * sizeof(int));
    cudaMallocManaged(&table, 320 * sizeof(int));
    for (int i = 0; i < 320; ++i) table[i] = i;
    for (int i = 0; i < 32; ++i) probes[i] = 0;
    search<<<1, 32>>>(probes, table, 64, 320);
    cudaDeviceSynchronize();
    return puts(probes[0] == 3 && probes[1] == 10 ? "PASS" : "FAIL"), 0;
}
