// kernel=fill line=9 finding=KO112
__global__ void fill(float *out, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int zc = blockIdx.z * blockDim.z + threadIdx.z;
    int z = zc % depth;
    if (x >= width || y >= height || z >= depth) return;
    out[(zc * height + y) * width + x] = z;
}

void run(float *out, int width, int height, int depth, int count)
{
    fill<<<dim3((width + 7) / 8, (height + 7) / 8, (depth * count + 3) / 4), dim3(8, 8, 4)>>>(out, width, height, depth);
}
