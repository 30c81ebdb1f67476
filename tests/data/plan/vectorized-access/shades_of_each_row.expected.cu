// kernel=shades line=12 finding=KO118
#include <cstdio>

// a block counts the shades of its own row and stores them: no element may come to another block
__global__ void shades(const short* image, unsigned* counts, int width) {
    __shared__ unsigned row_counts[64];
    if (threadIdx.x < 64) row_counts[threadIdx.x] = 0;
    __syncthreads();
    const short* row = image + blockIdx.x * width;
    const bool aligned = reinterpret_cast<size_t>(row) % 16 == 0;
    const int vector_end = aligned ? width - width % 8 : 0;
    for (int first = threadIdx.x * 8; first < vector_end; first += blockDim.x * 8) {
        alignas(16) short row8[8];
        *reinterpret_cast<int4 *>(row8) = *reinterpret_cast<const int4 *>(row + first);
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            int shade = row8[k] >> 4;
            atomicAdd(&row_counts[shade], 1u);
        }
    }
    for (int x = vector_end + threadIdx.x; x < width; x += blockDim.x) {
        int shade = row[x] >> 4;
        atomicAdd(&row_counts[shade], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64) counts[blockIdx.x * 64 + threadIdx.x] = row_counts[threadIdx.x];
}

int main() {
    const int width = 1500, rows = 5;
    static short h[width * rows];
    static unsigned c[rows * 64];
    for (int i = 0; i < width * rows; ++i) h[i] = (short)(i * 7 % 1024);
    short* image;
    unsigned* counts;
    cudaMalloc(&image, sizeof h);
    cudaMalloc(&counts, sizeof c);
    cudaMemcpy(image, h, sizeof h, cudaMemcpyHostToDevice);
    shades<<<rows, 128>>>(image, counts, width);
    cudaMemcpy(c, counts, sizeof c, cudaMemcpyDeviceToHost);
    printf("%u %u\n", c[0], c[rows * 64 - 1]);
}
