// kernel=pull line=17 finding=KO123
#include <cmath>
#include <cstdio>
#include <vector>

#define SOFT 1e-2f

__global__ void pull(const float4 *bodies, float3 *acc, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float dx = bodies[j].x - me.x, dy = bodies[j].y - me.y, dz = bodies[j].z - me.z;
        float r2 = dx * dx + dy * dy + dz * dz + SOFT;
        float inv = 1.0f / sqrtf(r2);
        float s = bodies[j].w * inv * inv * inv;
        ax += s * dx;
        ay += s * dy;
        az += s * dz;
    }
    acc[i] = make_float3(ax, ay, az);
}

int main() {
    const int n = 700;
    float4 *bodies;
    float3 *acc;
    cudaMallocManaged(&bodies, n * sizeof(float4));
    cudaMallocManaged(&acc, n * sizeof(float3));
    for (int i = 0; i < n; i++) bodies[i] = make_float4(sinf(i), cosf(i), 0.01f * (i % 13), 1.0f / n);
    pull<<<(n + 127) / 128, 128>>>(bodies, acc, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i += 7) {
        double want = 0;
        for (int j = 0; j < n; j++) {
            double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
            want += bodies[j].w * dx / std::pow(dx * dx + dy * dy + dz * dz + SOFT, 1.5);
        }
        if (!(fabs(acc[i].x - want) <= 1e-4 * (1 + fabs(want)))) return printf("FAIL %d: %g %g\n", i, acc[i].x, want), 1;
    }
    return puts("PASS"), 0;
}
