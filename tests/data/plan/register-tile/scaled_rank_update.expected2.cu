// kernel=rank_update line=17 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <vector>
#define SIDE 16
typedef float real;

// C += scale * (A * A') + shift * (B * A'), the second with its factor in front of each side once
__global__ void rank_update(const real *A, const real *B, real *C, int n, int m, real scale, float shift)
{
    __shared__ real a_r_tile[16][68];
    __shared__ real a_c_tile[16][132];
    __shared__ real b_tile[16][68];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    real sum[4][8] = {};
    real other[4][8] = {};
    for (int start = 0; start < m; start += 16) {
        for (int e = thread; e < 16 * 64; e += 256) {
            const int r = blockIdx.y * 64 + e / 16;
            const int k = start + e % 16;
            a_r_tile[e % 16][e / 16] = r < n && k < m ? scale * A[r * m + k] : 0;
        }
        for (int e = thread; e < 16 * 128; e += 256) {
            const int c = blockIdx.x * 128 + e / 16;
            const int k = start + e % 16;
            a_c_tile[e % 16][e / 16] = c < n && k < m ? A[c * m + k] : 0;
        }
        for (int e = thread; e < 16 * 64; e += 256) {
            const int r = blockIdx.y * 64 + e / 16;
            const int k = start + e % 16;
            b_tile[e % 16][e / 16] = r < n && k < m ? B[r * m + k] * shift * scale : 0;
        }
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            real a_r_reg[4];
            real b_reg[4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                a_r_reg[i] = a_r_tile[p][threadIdx.y * 4 + i];
                b_reg[i] = b_tile[p][threadIdx.y * 4 + i];
            }
            real a_c_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                a_c_reg[j] = a_c_tile[p][j / 4 * 64 + threadIdx.x * 4 + j % 4];
            }
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sum[i][j] += a_r_reg[i] * a_c_reg[j];
                    other[i][j] += b_reg[i] * a_c_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int r = blockIdx.y * 64 + threadIdx.y * 4 + i;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int c = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
            if (r < n && c < n) {
                C[r * n + c] += sum[i][j] + other[i][j];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 150, m = n - 37;
    std::vector<real> a(n * m), b(n * m), c(n * n, 1.0f);
    for (int i = 0; i < n * m; i++) {
        a[i] = (i * 7 % 13) * 0.25f - 1.0f;
        b[i] = (i * 5 % 11) * 0.5f - 2.0f;
    }
    real *A, *B, *C;
    cudaMalloc(&A, a.size() * sizeof(real));
    cudaMalloc(&B, b.size() * sizeof(real));
    cudaMalloc(&C, c.size() * sizeof(real));
    cudaMemcpy(A, a.data(), a.size() * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), b.size() * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(C, c.data(), c.size() * sizeof(real), cudaMemcpyHostToDevice);
    dim3 block(SIDE, SIDE);
    dim3 grid((n + 8 * SIDE - 1) / (8 * SIDE), (n + 4 * SIDE - 1) / (4 * SIDE));
    rank_update<<<grid, block>>>(A, B, C, n, m, 1.5f, 0.5f);
    cudaMemcpy(c.data(), C, c.size() * sizeof(real), cudaMemcpyDeviceToHost);
    double s = 0;
    for (real v : c) s += v;
    printf("%.4f\n", s);
    return 0;
}
