constexpr int TILE = 32;
constexpr int ROWS = 8;

template <int PADDING>
__global__ void __launch_bounds__(TILE * ROWS) transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + PADDING];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

void run(float *out, const float *in, int width, int height, cudaStream_t stream)
{
    dim3 block(TILE, ROWS);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose<0><<<grid, block, 0, stream>>>(out, in, width, height);
    transpose<1><<<grid, block, 0, stream>>>(out, in, width, height);
}
