// kernel=Rank2Update line=11 finding=KO101
// Two products in one sum, each matrix once by rows and once by columns; neighbouring threads in x have neighbouring rows.
__global__ void Rank2Update(const double* left, const double* right, double* out, int size, int depth, double alpha, double beta)
{
    __shared__ double left_row_tile[64][20];
    __shared__ double right_col_tile[64][20];
    __shared__ double right_row_tile[64][20];
    __shared__ double left_col_tile[64][20];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    const int lane = thread % 32;
    const int warp_row = thread / 64 * 32, warp_col = thread / 32 % 2 * 32;
    // a lane's sums of 16 x 8: rows lane / 4 and + 8, columns lane % 4 * 2 and + 1
    double total[2][4][4] = {};  // of both products
    // each round loads a tile while it multiplies the one before; the last round only multiplies
    for (int start = 0; start < depth + 16; start += 16) {
        double left_row_next[8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8) {
            const int row = blockIdx.x * 64 + e + thread / 16;
            const int k = start + thread % 16;
            left_row_next[e / 8] = row < size && k < depth ? left[row * depth + k] : 0.0;
        }
        double right_col_next[8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8) {
            const int col = blockIdx.y * 64 + e + thread / 16;
            const int k = start + thread % 16;
            right_col_next[e / 8] = col < size && k < depth ? right[col * depth + k] : 0.0;
        }
        double right_row_next[8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8) {
            const int row = blockIdx.x * 64 + e + thread / 16;
            const int k = start + thread % 16;
            right_row_next[e / 8] = row < size && k < depth ? right[row * depth + k] : 0.0;
        }
        double left_col_next[8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8) {
            const int col = blockIdx.y * 64 + e + thread / 16;
            const int k = start + thread % 16;
            left_col_next[e / 8] = col < size && k < depth ? left[col * depth + k] : 0.0;
        }
        if (start > 0) {
            #pragma unroll
            for (int p = 0; p < 16; p += 4) {
                double left_row_reg[2][2];
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    left_row_reg[i][0] = left_row_tile[warp_row + i * 16 + lane / 4][p + lane % 4];
                    left_row_reg[i][1] = left_row_tile[warp_row + i * 16 + lane / 4 + 8][p + lane % 4];
                }
                double right_col_reg[4];
                #pragma unroll
                for (int j = 0; j < 4; ++j)
                    right_col_reg[j] = right_col_tile[warp_col + j * 8 + lane / 4][p + lane % 4];
                double right_row_reg[2][2];
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    right_row_reg[i][0] = right_row_tile[warp_row + i * 16 + lane / 4][p + lane % 4];
                    right_row_reg[i][1] = right_row_tile[warp_row + i * 16 + lane / 4 + 8][p + lane % 4];
                }
                double left_col_reg[4];
                #pragma unroll
                for (int j = 0; j < 4; ++j)
                    left_col_reg[j] = left_col_tile[warp_col + j * 8 + lane / 4][p + lane % 4];
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    #pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                            : "+d"(total[i][j][0]), "+d"(total[i][j][1]), "+d"(total[i][j][2]), "+d"(total[i][j][3])
                            : "d"(left_row_reg[i][0]), "d"(left_row_reg[i][1]), "d"(right_col_reg[j]));
                        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                            : "+d"(total[i][j][0]), "+d"(total[i][j][1]), "+d"(total[i][j][2]), "+d"(total[i][j][3])
                            : "d"(right_row_reg[i][0]), "d"(right_row_reg[i][1]), "d"(left_col_reg[j]));
                    }
                }
            }
        }
        __syncthreads();
        #pragma unroll
        for (int e = 0; e < 64; e += 8)
            left_row_tile[e + thread / 16][thread % 16] = left_row_next[e / 8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8)
            right_col_tile[e + thread / 16][thread % 16] = right_col_next[e / 8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8)
            right_row_tile[e + thread / 16][thread % 16] = right_row_next[e / 8];
        #pragma unroll
        for (int e = 0; e < 64; e += 8)
            left_col_tile[e + thread / 16][thread % 16] = left_col_next[e / 8];
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int row = blockIdx.x * 64 + warp_row + i * 16 + lane / 4 + e / 2 * 8;
                const int col = blockIdx.y * 64 + warp_col + j * 8 + lane % 4 * 2 + e % 2;
                if (row < size && col < size) {
                    out[row * size + col] = alpha * total[i][j][e] + beta * out[row * size + col];
                }
            }
        }
    }
}

void run(const double* left, const double* right, double* out, int size, int depth)
{
    const dim3 block(16, 8);
    const dim3 grid((size + 4 * block.x - 1) / (4 * block.x), (size + 8 * block.y - 1) / (8 * block.y));
    Rank2Update<<<grid, block>>>(left, right, out, size, depth, 0.5, 2.0);
}
