// kernel=neighbours line=26 finding=KO101 technique=warp-per-row
#include <cstdio>
#include <cfloat>
#define NN 6
// keeps the nearest NN, ascending
__global__ void neighbours(const float *table, int *out, int n)
{
    int me = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (me >= n) return;
    float d2[NN];
    int id[NN];
    for (int k = 0; k < NN; ++k) { d2[k] = FLT_MAX; id[k] = -1; }
    for (int j = lane; j < n; j += 32) {
        if (j == me) continue;
        float value = table[me * n + j];
        if (value < d2[NN - 1]) {
            int at = NN - 1;
            while (at > 0 && d2[at - 1] > value) {
                d2[at] = d2[at - 1];
                id[at] = id[at - 1];
                --at;
            }
            d2[at] = value;
            id[at] = j;
        }
    }
    // the lanes' lists become one
    #pragma unroll
    for (int place = 0; place < NN; place++) {
        float first_d2 = d2[place];
        int first_id = id[place];
        for (int offset = 16; offset > 0; offset /= 2) {
            float other_d2 = __shfl_xor_sync(0xffffffff, first_d2, offset);
            int other_id = __shfl_xor_sync(0xffffffff, first_id, offset);
            if (other_d2 < first_d2 || (other_d2 == first_d2 && other_id < first_id)) {
                first_d2 = other_d2;
                first_id = other_id;
            }
        }
        if (d2[place] != first_d2 || id[place] != first_id) {
            #pragma unroll
            for (int i = NN - 1; i > place; i--) {
                d2[i] = d2[i - 1];
                id[i] = id[i - 1];
            }
            d2[place] = first_d2;
            id[place] = first_id;
        }
    }
    if (lane == 0) {
        for (int k = 0; k < NN; ++k) out[me * NN + k] = id[k];
    }
}
int main()
{
    const int n = 250;
    float *table;
    int *out;
    cudaMallocManaged(&table, sizeof(float) * n * n);
    cudaMallocManaged(&out, sizeof(int) * n * NN);
    for (int i = 0; i < n * n; i++) table[i] = i * 7919 % 199;
    neighbours<<<(n + 1) / 2, 64>>>(table, out, n);
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
