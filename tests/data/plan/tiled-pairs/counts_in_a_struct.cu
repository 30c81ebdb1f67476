// kernel=pull line=12 finding=KO108
#include <cstdio>
struct Seen { int *count; };
struct Body { float x, y, z, vx, vy, vz, mass; int alive; };
__global__ void pull(const Body *p, Seen seen, float *ax, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float a = 0;
    for (int j = 0; j < n; j++) {
        if (j == i || !p[j].alive) continue;
        float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
        seen.count[i]++;
        a += p[j].mass * dx * rsqrtf(dx * dx + dy * dy + 0.01f);
    }
    ax[i] = a;
}
int main()
{
    Body *p;
    float *a;
    Seen seen;
    cudaMallocManaged(&seen.count, 1000 * sizeof(int));
    cudaMallocManaged(&p, 1000 * sizeof(Body));
    cudaMallocManaged(&a, 1000 * sizeof(float));
    for (int i = 0; i < 1000; i++) p[i] = {i % 37 * 0.1f, i % 11 * 0.2f, 0, 0, 0, 0, 1.0f, i % 17 != 0};
    pull<<<(1000 + 127) / 128, 128>>>(p, seen, a, 1000);
    cudaDeviceSynchronize();
    printf("%f\n", a[3]);
}
