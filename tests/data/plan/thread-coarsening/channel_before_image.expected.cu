// kernel=shade line=14 finding=KO108
#include <cuda_runtime.h>

const int LIGHTS = 24;

__global__ void shade(const float* surface, const float* lights, float* shaded, int points, int terms)
{
    const int light_groups = (LIGHTS + 3) / 4;
    unsigned int light[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        light[r] = blockIdx.y % light_groups * 4 + r;
    const unsigned int frame = blockIdx.y / light_groups;
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < points) {
        float level[4];
        #pragma unroll
        for (int r = 0; r < 4; r++)
            level[r] = 0.5f;
        for (int t = 0; t < terms; t++) {
            #pragma unroll
            for (int r = 0; r < 4; r++)
                level[r] += surface[(frame * terms + t) * points + p] * lights[light[r] * terms + t];
        }
        #pragma unroll
        for (int r = 0; r < 4; r++)
            shaded[(frame * LIGHTS + light[r]) * points + p] = level[r];
    }
}

void run(const float* surface, const float* lights, float* shaded, int frames, int points)
{
    shade<<<dim3(points / 128, ((LIGHTS + 3) / 4) * frames), 128>>>(surface, lights, shaded, points, 10);
}
