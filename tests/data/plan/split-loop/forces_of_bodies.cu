// kernel=forces line=8 finding=KO111
#include <cstdio>
__global__ void forces(const float4 *bodies, float3 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float3 acc = {0.0f, 0.0f, 0.0f};
        float4 me = bodies[i];
        for (int j = 0; j < n; j++) {
            float4 b = bodies[j];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
            float inv = rsqrtf(r2);
            float f = b.w * inv * inv * inv;
            acc.x += f * dx;
            acc.y += f * dy;
            acc.z += f * dz;
        }
        out[i] = acc;
    }
}
int main() {
    float4 *s; float3 *o;
    cudaMallocManaged(&s, 1000 * 16);
    cudaMallocManaged(&o, 1000 * 12);
    for (int i = 0; i < 1000; i++) s[i] = make_float4(i * 7 % 33 * 0.1f, 0, i, 1);
    forces<<<(1000 + 63) / 64, 64>>>(s, o, 1000);
    cudaDeviceSynchronize();
    printf("%f\n", o[7].x);
}
