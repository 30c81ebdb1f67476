// kernel=project line=13 finding=KO108
#include <cuda_runtime.h>

__global__ void project(const float *points, const float *directions, float *heights, int count, int dims, unsigned int planes)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count) return;
    unsigned int plane = blockIdx.y;
    const float *direction = directions + plane * dims;
    float height = -direction[dims];
    for (int d = 0; d < dims; d++) {
        float along = direction[d];
        height += along * points[d * count + p];
    }
    heights[plane * count + p] = height;
}

void run(const float *points, const float *directions, float *heights, int count, unsigned int planes)
{
    project<<<dim3(count / 256, planes, 1), 256>>>(points, directions, heights, count, 3, planes);
}
