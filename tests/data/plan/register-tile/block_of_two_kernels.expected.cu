// kernel=outer line=15 finding=KO108
#include <cstdio>

__global__ void fill(float *m, int n, float v)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n && c < n) m[r * n + c] = v * ((r + 2 * c) % 5);
}

__global__ void outer(const float *a, const float *b, float *out, int n)
{
    __shared__ float a_tile[8][132];
    __shared__ float b_tile[8][128];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float sum[8][8] = {};
    float a_next[4];
    float b_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int r = blockIdx.y * 128 + e / 8;
            const int k = start + e % 8;
            a_next[l] = r < n && k < n ? a[r * n + k] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int c = blockIdx.x * 128 + e % 128;
            const int k = start + e / 128;
            b_next[l] = c < n && k < n ? b[k * n + c] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < n; start += 8) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            a_tile[e % 8][e / 8] = a_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            b_tile[e / 128][e % 128] = b_next[l];
        }
        __syncthreads();
        if (start + 8 < n) load_next(start + 8);
        #pragma unroll
        for (int p = 0; p < 8; ++p) {
            float a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_reg[i] = a_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
            }
            float b_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                b_reg[j] = b_tile[p][j / 4 * 64 + threadIdx.x * 4 + j % 4];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
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
        for (int j = 0; j < 8; ++j) {
            const int c = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
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
    outer<<<dim3((grid.x + 3) / 4, (grid.y + 3) / 4, grid.z), dim3(16, 16)>>>(a, b, out, n);
    cudaDeviceSynchronize();
    printf("%f %f\n", out[0], out[n * n - 1]);
}
