// kernel=relax line=12 finding=KO108
#include <cfloat>
#include <cstdio>

#define DIM 16
static inline int blocks_for(int n) { return (n + DIM - 1) / DIM; }

__global__ void relax(const float *left, const float *right, const float *toll, float *best, int rows, int inner, int cols) {
    __shared__ float left_tile[16][132];
    __shared__ float right_tile[16][64];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float shortest[8][4];
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            shortest[i][j] = FLT_MAX;
        }
    }
    float left_next[8];
    float right_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            const int r = blockIdx.y * 128 + e / 16;
            const int k = start + e % 16;
            left_next[l] = r < rows && k < inner ? left[r * inner + k] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int c = blockIdx.x * 64 + e % 64;
            const int k = start + e / 64;
            right_next[l] = c < cols && k < inner ? right[k * cols + c] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < inner; start += 16) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            left_tile[e % 16][e / 16] = left_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            right_tile[e / 64][e % 64] = right_next[l];
        }
        __syncthreads();
        if (start + 16 < inner) load_next(start + 16);
        const int length = min(16, inner - start);
        for (int p = 0; p < length; ++p) {
            const int k = start + p;
            float left_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                left_reg[i] = left_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
            }
            float right_reg[4];
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                right_reg[j] = right_tile[p][threadIdx.x * 4 + j];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    shortest[i][j] = fminf(shortest[i][j], left_reg[i] + right_reg[j] + toll[k]);
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int r = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int c = blockIdx.x * 64 + threadIdx.x * 4 + j;
            if (r < rows && c < cols) {
                int at = r * cols + c;
                best[at] = shortest[i][j];
            }
        }
    }
}

int main() {
    const int rows = 60, inner = 33, cols = 47;
    float *left, *right, *toll, *best;
    cudaMallocManaged(&left, rows * inner * sizeof(float));
    cudaMallocManaged(&right, inner * cols * sizeof(float));
    cudaMallocManaged(&toll, inner * sizeof(float));
    cudaMallocManaged(&best, rows * cols * sizeof(float));
    for (int i = 0; i < rows * inner; ++i) left[i] = i * 3 % 19;
    for (int i = 0; i < inner * cols; ++i) right[i] = i * 11 % 23;
    for (int i = 0; i < inner; ++i) toll[i] = i % 4;
    relax<<<dim3((blocks_for(cols) + 3) / 4, (blocks_for(rows) + 7) / 8), dim3(DIM, DIM)>>>(left, right, toll, best, rows, inner, cols);
    cudaDeviceSynchronize();
    float sum = 0;
    for (int i = 0; i < rows * cols; ++i) sum += best[i];
    printf("%g\n", sum);
    return 0;
}
