// Every body meets all others: nvcc splits the loop where a body meets itself, and unrolls both parts.
#include <cuda_runtime.h>

const float SOFT = 0.01f;
const float G = 6.67e-3f;

struct Body { float x, y, z, m; };

__global__ void accel(const Body* b, float* ax, float* ay, float* az, int n)
{
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i >= n) return;
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    Body me = b[i];
    for (int j = 0; j < n; j++) {
        if (j == i) continue;
        float dx = b[j].x - me.x;
        float dy = b[j].y - me.y;
        float dz = b[j].z - me.z;
        float r2 = dx*dx + dy*dy + dz*dz + SOFT;
        float inv = rsqrtf(r2);
        float s = G * b[j].m * inv * inv * inv;
        fx += dx * s; fy += dy * s; fz += dz * s;
    }
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
}

int main()
{
    const int n = 1000;
    Body* b;
    float* a;
    cudaMalloc(&b, n * sizeof(Body));
    cudaMalloc(&a, 3 * n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(Body));
    accel<<<(n + 127) / 128, 128>>>(b, a, a + n, a + 2 * n, n);
    cudaDeviceSynchronize();
    return 0;
}
