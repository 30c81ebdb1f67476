// kernel=influence line=8 finding=KO108
__global__ void influence(const float4 *sources, float *field, int width, int height, int count)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    const bool is_inside = x < width && y < height;
    float sum = is_inside ? field[y * width + x] : 0.0f;
    __shared__ float4 sources_tile[256];
    for (int tile = 0; tile < count; tile += 256) {
        const int item = tile + threadIdx.y * 16 + threadIdx.x;
        if (item < count)
            sources_tile[threadIdx.y * 16 + threadIdx.x] = sources[item];
        __syncthreads();
        const int tile_end = min(tile + 256, count);
        if (is_inside)
            for (int s = tile; s < tile_end; s++) {
                float4 source = sources_tile[s - tile];
                float dx = source.x - x, dy = source.y - y;
                sum += source.w * rsqrtf(dx * dx + dy * dy + source.z);
            }
        __syncthreads();
    }
    if (is_inside) field[y * width + x] = sum;
}

void run(const float4 *sources, float *field, int width, int height, int count)
{
    influence<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(sources, field, width, height, count);
}
