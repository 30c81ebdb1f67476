// kernel=project line=20 finding=KO108
#include <cstdio>

#define SIDE 16

__device__ float clampPositive(float x) { return x > 0.0f ? x : 0.0f; }

__global__ void scaleAll(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}

__global__ void project(float *out, const float *rows, const float *columns, const float *scale, int height, int width, int depth) {
    int outCol = blockIdx.x * SIDE + threadIdx.x;
    int outRow = blockIdx.y * SIDE + threadIdx.y;
    float total = 0.0f;
    // columns is stored transposed, so only rows can be shared as it lies
    __shared__ float rowsTile[16][16];
    for (int tile = 0; tile < depth; tile += 16) {
        rowsTile[threadIdx.y][threadIdx.x] = outRow < height && tile + threadIdx.x < depth ? rows[outRow * depth + tile + threadIdx.x] : 0.0f;
        __syncthreads();
        if (outRow < height && outCol < width)
            for (int d = tile; d < tile + 16 && d < depth; d++) {
                total += scale[d] * clampPositive(rowsTile[threadIdx.y][d - tile]) * columns[outCol * depth + d];
            }
        __syncthreads();
    }
    if (outRow >= height || outCol >= width) { return; }
    out[outRow * width + outCol] = total;
}

int main() {
    const int height = 20, width = 18, depth = 11;
    float *out, *rows, *columns, *scale;
    cudaMallocManaged(&out, height * width * sizeof(float));
    cudaMallocManaged(&rows, height * depth * sizeof(float));
    cudaMallocManaged(&columns, width * depth * sizeof(float));
    cudaMallocManaged(&scale, depth * sizeof(float));
    for (int i = 0; i < height * depth; ++i) rows[i] = i % 2 ? 1 : -1;
    for (int i = 0; i < width * depth; ++i) columns[i] = 1;
    for (int i = 0; i < depth; ++i) scale[i] = 0.5f;
    scaleAll<<<1, 32>>>(scale, depth);
    dim3 block(SIDE, SIDE, 1);
    dim3 grid;
    grid.x = (width + SIDE - 1) / SIDE;
    grid.y = (height + SIDE - 1) / SIDE;
    project<<<grid, block>>>(out, rows, columns, scale, height, width, depth);
    cudaDeviceSynchronize();
    for (int r = 0; r < height; ++r)
        for (int c = 0; c < width; ++c) {
            float want = 0;
            for (int d = 0; d < depth; ++d) want += rows[r * depth + d] > 0 ? 1 : 0;
            if (out[r * width + c] != want) return puts("FAIL"), 1;
        }
    puts("PASS");
    return 0;
}
