struct Particle { float x, y, z, mass; };

__global__ void move(Particle *particles, float3 *velocity, float dt, int count)
{
    const int index = threadIdx.x + blockDim.x * blockIdx.x;
    if (index >= count) return;
    Particle &p = particles[index];
    p.x += velocity[index].x * dt;
    p.y += velocity[index].y * dt;
    particles[index].z += velocity[index].z * dt;
}

__global__ void move_columns(float *__restrict__ x, const float *__restrict__ vx, float dt, int count)
{
    for (int i = threadIdx.x * 4; i < count; i += 4 * blockDim.x)
        for (int j = 0; j < 4; ++j)
            x[i + j] += vx[i + j] * dt;
}
