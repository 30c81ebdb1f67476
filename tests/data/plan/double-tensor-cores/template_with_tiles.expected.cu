// kernel=gemm line=18 finding=KO108
// The author's tiles of 16 x 16, in a template of which the program has doubles only.
#define TILE 16

template <typename T>
__global__ void gemm(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, int n) {
    __shared__ double a_tile[64][20];
    __shared__ double b_tile[16][68];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    const int lane = thread % 32;
    const int warp_row = thread / 64 * 32, warp_col = thread / 32 % 2 * 32;
    // a lane's sums of 16 x 8: rows lane / 4 and + 8, columns lane % 4 * 2 and + 1
    double sum[2][4][4] = {};
    // each round loads a tile while it multiplies the one before; the last round only multiplies
    for (int start = 0; start < n + 16; start += 16) {
        double a_next[8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8) {
            const int row = blockIdx.y * 64 + e + thread / 16;
            const int k = start + thread % 16;
            a_next[e / 8] = row < n && k < n ? A[row * n + k] : 0.0;
        }
        double b_next[8];
        #pragma unroll
        for (int e = 0; e < 16; e += 2) {
            const int col = blockIdx.x * 64 + thread % 64;
            const int k = start + e + thread / 64;
            b_next[e / 2] = col < n && k < n ? B[k * n + col] : 0.0;
        }
        if (start > 0) {
            #pragma unroll
            for (int p = 0; p < 16; p += 4) {
                double a_reg[2][2];
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    a_reg[i][0] = a_tile[warp_row + i * 16 + lane / 4][p + lane % 4];
                    a_reg[i][1] = a_tile[warp_row + i * 16 + lane / 4 + 8][p + lane % 4];
                }
                double b_reg[4];
                #pragma unroll
                for (int j = 0; j < 4; ++j)
                    b_reg[j] = b_tile[p + lane % 4][warp_col + j * 8 + lane / 4];
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    #pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                            : "+d"(sum[i][j][0]), "+d"(sum[i][j][1]), "+d"(sum[i][j][2]), "+d"(sum[i][j][3])
                            : "d"(a_reg[i][0]), "d"(a_reg[i][1]), "d"(b_reg[j]));
                    }
                }
            }
        }
        __syncthreads();
        #pragma unroll
        for (int e = 0; e < 64; e += 8)
            a_tile[e + thread / 16][thread % 16] = a_next[e / 8];
        #pragma unroll
        for (int e = 0; e < 16; e += 2)
            b_tile[e + thread / 64][thread % 64] = b_next[e / 2];
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int row = blockIdx.y * 64 + warp_row + i * 16 + lane / 4 + e / 2 * 8;
                const int col = blockIdx.x * 64 + warp_col + j * 8 + lane % 4 * 2 + e % 2;
                if (row < n && col < n) {
                    C[row * n + col] = sum[i][j][e];
                }
            }
        }
    }
}

void multiply(const double* a, const double* b, double* c, int n) {
    dim3 threads(16, 8);
    dim3 blocks((n + 4 * TILE - 1) / (4 * TILE), (n + 4 * TILE - 1) / (4 * TILE));
    gemm<double><<<blocks, threads>>>(a, b, c, n);
}

int main() {
    const int n = 101;
    static double host[3][n * n];
    double* device[3];
    for (int m = 0; m < 3; m++) {
        for (int i = 0; i < n * n; i++) host[m][i] = (i * 7 + m) % 23 / 11.0 - 1;
        cudaMalloc(&device[m], sizeof(host[m]));
        cudaMemcpy(device[m], host[m], sizeof(host[m]), cudaMemcpyHostToDevice);
    }
    multiply(device[0], device[1], device[2], n);
    cudaMemcpy(host[2], device[2], sizeof(host[2]), cudaMemcpyDeviceToHost);
    return host[2][0] > 1e9;
}
