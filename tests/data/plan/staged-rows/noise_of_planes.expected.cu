// kernel=noise line=12 finding=KO102
#include <cstdio>
// each line of each plane begins with a seed of its own
__global__ void noise(unsigned *__restrict__ out, int height, int width)
{
    int tid = threadIdx.x;
    int line = blockIdx.x * blockDim.x + tid;
    const bool is_inside = line < height;
    unsigned state = 2463534242u + line;
    __shared__ unsigned out_tile[128][32 + 1];
    for (int chunk = 0; chunk < width; chunk += 32) {
        const int column = threadIdx.x % 32;
        const int at = chunk + column;
        const int chunk_end = min(chunk + 32, width);
        if (is_inside) {
            #pragma unroll 2
            for (int j = chunk; j < chunk_end; ++j) {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                out_tile[threadIdx.x][j - chunk] = state;
            }
        }
        __syncthreads();
        if (at < chunk_end)
            for (int r = threadIdx.x / 32; r < 128; r += 4) {
                const int other_line = blockIdx.x * blockDim.x + r;
                const int other_base = (blockIdx.y * height + other_line) * width;
                if (other_line < height)
                    out[other_base + at] = out_tile[r][column];
            }
        __syncthreads();
    }
}

int main()
{
    const int height = 140, width = 75;
    unsigned *out;
    cudaMallocManaged(&out, 3 * height * width * sizeof(unsigned));
    noise<<<dim3((height + 127) / 128, 3), 128>>>(out, height, width);
    cudaDeviceSynchronize();
    unsigned sum = 0;
    for (int i = 0; i < 3 * height * width; i++) sum = sum * 31 + out[i];
    printf("%u\n", sum);
}
