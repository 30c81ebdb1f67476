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
    float a_next[8];
    float b_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            const int r = blockIdx.y * 128 + e / 16;
            const int k = start + e % 16;
            a_next[l] = r < n && k < n ? a[r * n + k] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int c = blockIdx.x * 64 + e % 64;
            const int k = start + e / 64;
            b_next[l] = c < n && k < n ? b[k * n + c] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < n; start += 16) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            a_tile[e % 16][e / 16] = a_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            b_tile[e / 64][e % 64] = b_next[l];
        }
        __syncthreads();
        if (start + 16 < n) load_next(start + 16);
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
