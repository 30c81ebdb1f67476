// kernel=influence line=8 finding=KO108
__global__ void influence(const float4 *sources, float *field, int width, int height, int count)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = field[y * width + x];
    for (int s = 0; s < count; s++) {
        float4 source = sources[s];
        if (source.w == 0.0f) break;
        float dx = source.x - x, dy = source.y - y;
        sum += source.w * rsqrtf(dx * dx + dy * dy + source.z);
    }
    field[y * width + x] = sum;
}

void run(const float4 *sources, float *field, int width, int height, int count)
{
    influence<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(sources, field, width, height, count);
}
