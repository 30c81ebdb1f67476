// kernel=pool line=20 finding=KO102
#include <cuda_runtime.h>

struct Shape {
    int channels, depth, height, width;
};

__global__ void pool(const float *in, float *out, Shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int zc = blockIdx.z * blockDim.z + threadIdx.z;
    int c = zc / s.depth;
    int z = zc % s.depth;
    if (x >= s.width || y >= s.height || c >= s.channels) return;

    float best = -1e30f;
    for (int dz = 0; dz < 2; dz++)
        for (int dx = 0; dx < 2; dx++)
            best = fmaxf(best, in[((c * 2 * s.depth + 2 * z + dz) * s.height + y) * 2 * s.width + 2 * x + dx]);
    out[((c * s.depth + z) * s.height + y) * s.width + x] = best;
}

void run(const float *in, float *out, Shape s)
{
    dim3 block(8, 8, 4);
    dim3 grid((s.width + block.x - 1) / block.x, (s.height + block.y - 1) / block.y, (s.depth * s.channels + block.z - 1) / block.z);
    pool<<<grid, block>>>(in, out, s);
}
