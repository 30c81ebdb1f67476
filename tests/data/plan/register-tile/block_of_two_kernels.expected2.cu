// kernel=outer line=15 finding=KO108
#include <cstdio>

__global__ void fill(float *m, int n, float v)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n && c < n) m[r * n + c] = v * ((r + 2 * c) % 5);
}

__global__ void outer(const float *a, const float *b, float *out, int n)
{
    __shared__ float a_tile[16][132];
    __shared__ float b_tile[16][64];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float sum[8][4] = {};
    for (int start = 0; start < n; start += 16) {
        for (int e = thread; e < 16 * 128; e += 256) {
            const int r = blockIdx.y * 128 + e / 16;
            const int k = start + e % 16;
            a_tile[e % 16][e / 16] = r < n && k < n ? a[r * n + k] : 0.0f;
        }
        for (int e = thread; e < 16 * 64; e += 256) {
            const int c = blockIdx.x * 64 + e % 64;
            const int k = start + e / 64;
            b_tile[e / 64][e % 64] = c < n && k < n ? b[k * n + c] : 0.0f;
        }
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            float a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_reg[i] = a_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
            }
            float b_reg[4];
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                b_reg[j] = b_tile[p][threadIdx.x * 4 + j];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] += a_reg[i] * b_reg[j];
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
            if (r < n && c < n) {
                out[r * n + c] = sum[i][j];
            }
        }
    }
}

int main()
{
    const int n = 512;
    float *a, *b, *out;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&out, n * n * sizeof(float));
    dim3 block(32, 32), grid((n + 31) / 32, (n + 31) / 32);   // block serves both
    fill<<<grid, block>>>(a, n, 1.0f);
    fill<<<grid, block>>>(b, n, 0.5f);
    outer<<<dim3((grid.x + 1) / 2, (grid.y + 3) / 4, grid.z), dim3(16, 16)>>>(a, b, out, n);
    cudaDeviceSynchronize();
    printf("%f %f\n", out[0], out[n * n - 1]);
}
