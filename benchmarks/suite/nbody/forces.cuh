#pragma once
#include "body.h"

#define SOFTENING 1e-3f

__device__ inline Vec3 sub(Vec3 a, Vec3 b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

__device__ inline float dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// new velocities from the pull of all bodies
__global__ void update_velocities(Body* bodies, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        Vec3 acc = {0.0f, 0.0f, 0.0f};
        for (int j = 0; j < n; j++)
        {
            Vec3 d = sub(bodies[j].position, bodies[i].position);
            float r2 = dot(d, d) + SOFTENING;
            float inv_r = 1.0f / sqrtf(r2);
            float f = bodies[j].mass * inv_r * inv_r * inv_r;
            acc.x += f * d.x;
            acc.y += f * d.y;
            acc.z += f * d.z;
        }
        bodies[i].velocity.x += dt * acc.x;
        bodies[i].velocity.y += dt * acc.y;
        bodies[i].velocity.z += dt * acc.z;
    }
}

__global__ void update_positions(Body* bodies, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        bodies[i].position.x += dt * bodies[i].velocity.x;
        bodies[i].position.y += dt * bodies[i].velocity.y;
        bodies[i].position.z += dt * bodies[i].velocity.z;
    }
}
