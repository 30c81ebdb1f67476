// kernel=gravity line=16 finding=KO108 technique=tiled-pairs
#include <cstdio>
#include <cstdlib>

__device__ float soften(float r2, int times)
{
    for (int s = 0; s < times; s++) r2 = r2 + 0.001f;
    return r2;
}

/* what all masses do to p */
__device__ void pull(const float4 *all, int count, float4 p, float3 *a, float *e, float eps)
{
    for (int i = 0; i < count; i++)
    {
        float dx = all[i].x - p.x, dy = all[i].y - p.y, dz = all[i].z - p.z;
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps);
        float w = all[i].w * inv;
        *e += w;
        w = w * inv * inv;
        a->x += w * dx;
        a->y += w * dy;
        (*a).z += w * dz;
    }
}

__global__ void gravity(const float4 *bodies, float4 *acc, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 a = make_float3(0, 0, 0);
    float energy = 0;
    float eps = soften(0.01f, 3);
    pull(bodies, n, bodies[i], &a, &energy, eps);
    acc[i] = make_float4(a.x, a.y, a.z, energy);
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
