// kernel=count_paths line=10 finding=KO108
#include <cstdio>

__global__ void count_paths(const int *from, const int *to, int *paths, int n, int last)
{
    __shared__ int from_tile[8][32];
    __shared__ int to_tile[8][64];
    const int thread = threadIdx.y * 8 + threadIdx.x;
    int found[4][8] = {};
    int longest[4][8];
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            longest[i][j] = -1;
        }
    }
    int from_next[4];
    int to_next[8];
    const auto load_next = [&](unsigned start) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 64;
            const unsigned row = blockIdx.y * 32 + e % 32;
            const unsigned k = start + e / 32;
            from_next[l] = row < n && k <= last ? from[k * n + row] : 0;
        }
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 64;
            const unsigned col = blockIdx.x * 64 + e % 64;
            const unsigned k = start + e / 64;
            to_next[l] = col < n && k <= last ? to[k * n + col] : 0;
        }
    };
    load_next(1);
    for (unsigned start = 1; start <= last; start += 8) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 64;
            from_tile[e / 32][e % 32] = from_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 64;
            to_tile[e / 64][e % 64] = to_next[l];
        }
        __syncthreads();
        if (start + 8 <= last) load_next(start + 8);
        const int length = min(8, (int)(last - start + 1));
        for (int p = 0; p < length; ++p) {
            const unsigned k = start + p;
            int from_reg[4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                from_reg[i] = from_tile[p][threadIdx.y * 4 + i];
            }
            int to_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                to_reg[j] = to_tile[p][j / 4 * 32 + threadIdx.x * 4 + j % 4];
            }
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    int both = from_reg[i] & to_reg[j];
                    found[i][j] += both ? 1 : 0;
                    if (both > longest[i][j]) longest[i][j] = both + k;
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        const unsigned row = blockIdx.y * 32 + threadIdx.y * 4 + i;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const unsigned col = blockIdx.x * 64 + j / 4 * 32 + threadIdx.x * 4 + j % 4;
            if (row < n && col < n) {
                paths[row * n + col] = found[i][j] + longest[i][j];
            }
        }
    }
}

int main()
{
    const int n = 45, last = 20;
    int *from, *to, *paths;
    cudaMallocManaged(&from, (last + 1) * n * sizeof(int));
    cudaMallocManaged(&to, (last + 1) * n * sizeof(int));
    cudaMallocManaged(&paths, n * n * sizeof(int));
    for (int i = 0; i < (last + 1) * n; ++i) { from[i] = i * 7 % 31; to[i] = i * 5 % 29; }
    dim3 threads(8, 8);
    dim3 blocks;
    blocks.x = (n + 63) / 64;
    blocks.y = (n + 31) / 32;
    count_paths<<<blocks, threads>>>(from, to, paths, n, last);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < n * n; ++i) sum += paths[i];
    printf("%ld\n", sum);
}
