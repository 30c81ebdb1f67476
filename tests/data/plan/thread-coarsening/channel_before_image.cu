// kernel=shade line=14 finding=KO108
#include <cuda_runtime.h>

const int LIGHTS = 24;

__global__ void shade(const float* surface, const float* lights, float* shaded, int points, int terms)
{
    const unsigned int light = blockIdx.y % LIGHTS;
    const unsigned int frame = blockIdx.y / LIGHTS;
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < points) {
        float level = 0.5f;
        for (int t = 0; t < terms; t++)
            level += surface[(frame * terms + t) * points + p] * lights[light * terms + t];
        shaded[(frame * LIGHTS + light) * points + p] = level;
    }
}

void run(const float* surface, const float* lights, float* shaded, int frames, int points)
{
    shade<<<dim3(points / 128, LIGHTS * frames), 128>>>(surface, lights, shaded, points, 10);
}
