#include <cstdio>
#include <cstdlib>
struct Body { float x, y, z, m; };
__global__ void forces(const Body *p, float3 *f, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    float fx = 0, fy = 0, fz = 0;
    Body me = p[i];
    for (int j = 0; j < n; j++) {
        float dx = p[j].x - me.x, dy = p[j].y - me.y, dz = p[j].z - me.z;
        float d2 = dx * dx + dy * dy + dz * dz + 1e-3f;
        float inv = rsqrtf(d2);
        float s = p[j].m * inv * inv * inv;
        fx += dx * s; fy += dy * s; fz += dz * s;
    }
    f[i].x = fx; f[i].y = fy; f[i].z = fz;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 262144;
    Body *h = new Body[n]; float3 *r = new float3[n];
    for (int i = 0; i < n; i++) { h[i].x = drand48(); h[i].y = drand48(); h[i].z = drand48(); h[i].m = 0.5f + drand48(); }
    Body *p; float3 *f;
    cudaMalloc((void **)&p, n * sizeof(Body)); cudaMalloc((void **)&f, n * sizeof(float3));
    cudaMemcpy(p, h, n * sizeof(Body), cudaMemcpyHostToDevice);
    forces<<<(n + 255) / 256, 256>>>(p, f, n);
    cudaMemcpy(r, f, n * sizeof(float3), cudaMemcpyDeviceToHost);
    printf("%f %f %f\n", r[0].x, r[0].y, r[0].z);
}
