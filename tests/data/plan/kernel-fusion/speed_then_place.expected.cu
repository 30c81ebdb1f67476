// kernel=kick line=9 finding=KO111
#include <cuda_runtime.h>

struct Body { float x, y, m; };

__global__ void kick_and_drift(float2 *v, const float2 *a, float dt, int n, Body *b)
{
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i >= n) return;
    v[i].x += a[i].x*dt;
    v[i].y += a[i].y*dt;
    b[i].x += v[i].x*dt;
    b[i].y += v[i].y*dt;
}

void steps(int n, int count, const float2 *a)
{
    float2 *v;
    Body *b;
    cudaMalloc(&v, n*sizeof(float2));
    cudaMalloc(&b, n*sizeof(Body));
    for (int s = 0; s < count; s++) {
        kick_and_drift<<<(n + 127)/128, 128>>>(v, a, 0.01f, n, b);
    }
}
