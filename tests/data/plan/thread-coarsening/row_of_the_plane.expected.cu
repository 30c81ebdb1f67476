// kernel=project line=13 finding=KO108
#include <cuda_runtime.h>

__global__ void project(const float *points, const float *directions, float *heights, int count, int dims, unsigned int planes)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count) return;
    const unsigned int first_plane = blockIdx.y * 4;
    unsigned int plane[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        plane[r] = min(first_plane + r, planes - 1);
    const float *direction[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        direction[r] = directions + plane[r] * dims;
    float height[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        height[r] = -direction[r][dims];
    for (int d = 0; d < dims; d++) {
        float along[4];
        #pragma unroll
        for (int r = 0; r < 4; r++)
            along[r] = direction[r][d];
        #pragma unroll
        for (int r = 0; r < 4; r++)
            height[r] += along[r] * points[d * count + p];
    }
    #pragma unroll
    for (int r = 0; r < 4; r++)
        heights[plane[r] * count + p] = height[r];
}

void run(const float *points, const float *directions, float *heights, int count, unsigned int planes)
{
    project<<<dim3(count / 256, (planes + 3) / 4, 1), 256>>>(points, directions, heights, count, 3, planes);
}
