// kernel=neighbours line=26 finding=KO101 technique=warp-per-row
#include <cstdio>
#include <cfloat>
#define NN 6
// keeps the nearest NN, ascending
__device__ void push(float *d2, int *id, float value, int index)
{
    if (value < d2[NN - 1]) {
        int at = NN - 1;
        while (at > 0 && d2[at - 1] > value) {
            d2[at] = d2[at - 1];
            id[at] = id[at - 1];
            --at;
        }
        d2[at] = value;
        id[at] = index;
    }
}
__global__ void neighbours(const float *table, int *out, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    float d2[NN];
    int id[NN];
    for (int k = 0; k < NN; ++k) { d2[k] = FLT_MAX; id[k] = -1; }
    for (int j = 0; j < n; ++j) {
        if (j == me) continue;
        push(d2, id, table[me * n + j], j);
    }
    for (int k = 0; k < NN; ++k) out[me * NN + k] = id[k];
}
int main()
{
    const int n = 250;
    float *table;
    int *out;
    cudaMallocManaged(&table, sizeof(float) * n * n);
    cudaMallocManaged(&out, sizeof(int) * n * NN);
    for (int i = 0; i < n * n; i++) table[i] = i * 7919 % 199;
    neighbours<<<(n + 63) / 64, 64>>>(table, out, n);
    cudaDeviceSynchronize();
    for (int me = 0; me < n; me++) {
        int before = -1;
        for (int k = 0; k < NN; k++) {
            int next = -1;
            for (int j = 0; j < n; j++) {
                bool is_behind = before < 0 || table[me * n + j] > table[me * n + before] || (table[me * n + j] == table[me * n + before] && j > before);
                if (j != me && is_behind && (next < 0 || table[me * n + j] < table[me * n + next])) next = j;
            }
            if (out[me * NN + k] != next) return printf("FAIL %d\n", me), 1;
            before = next;
        }
    }
    return puts("PASS"), 0;
}
