// kernel=gravity line=16 finding=KO108 technique=tiled-pairs
#include <cstdio>
#include <cstdlib>

__device__ float soften(float r2, int times)
{
    for (int s = 0; s < times; s++) r2 = r2 + 0.001f;
    return r2;
}

__global__ void gravity(const float4 *bodies, float4 *acc, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_inside = i < n;
    float3 a = make_float3(0, 0, 0);
    float energy = 0;
    float eps = is_inside ? soften(0.01f, 3) : 0.0f;
    /* what all masses do to p */
    float4 p = is_inside ? bodies[i] : float4{};
    __shared__ float4 bodies_tile[64];
    for (int tile = 0; tile < n; tile += 64)
    {
        const int item = tile + threadIdx.x;
        if (item < n)
            bodies_tile[threadIdx.x] = make_float4(bodies[item].x, bodies[item].y, bodies[item].z, bodies[item].w);
        __syncthreads();
        const int tile_end = min(tile + 64, n);
        if (is_inside)
            for (int j = tile; j < tile_end; j++)
            {
                float dx = bodies_tile[j - tile].x - p.x, dy = bodies_tile[j - tile].y - p.y, dz = bodies_tile[j - tile].z - p.z;
                float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps);
                float w = bodies_tile[j - tile].w * inv;
                energy += w;
                w = w * inv * inv;
                a.x += w * dx;
                a.y += w * dy;
                a.z += w * dz;
            }
        __syncthreads();
    }
    if (is_inside) acc[i] = make_float4(a.x, a.y, a.z, energy);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 700;
    float4 *bodies, *acc;
    cudaMallocManaged(&bodies, n * sizeof(float4));
    cudaMallocManaged(&acc, n * sizeof(float4));
    for (int i = 0; i < n; i++) bodies[i] = make_float4(i % 13, i % 7, i % 29, 1 + i % 3);
    gravity<<<(n + 63) / 64, 64>>>(bodies, acc, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n; i++) sum += acc[i].x + acc[i].w;
    printf("%.4f\n", sum);
    return 0;
}
