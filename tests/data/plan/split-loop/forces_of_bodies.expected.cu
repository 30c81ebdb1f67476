// kernel=forces line=8 finding=KO111
#include <cstdio>
__global__ void forces(const float4 *bodies, float3 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 acc = {0.0f, 0.0f, 0.0f};
    float4 me = i < n ? bodies[i] : float4{};
    if (i < n)
        for (int j = threadIdx.y; j < n; j += 16) {
            float4 b = bodies[j];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
            float inv = rsqrtf(r2);
            float f = b.w * inv * inv * inv;
            acc.x += f * dx;
            acc.y += f * dy;
            acc.z += f * dz;
        }
    __shared__ float acc_x_parts[16][32];
    __shared__ float acc_y_parts[16][32];
    __shared__ float acc_z_parts[16][32];
    acc_x_parts[threadIdx.y][threadIdx.x] = acc.x;
    acc_y_parts[threadIdx.y][threadIdx.x] = acc.y;
    acc_z_parts[threadIdx.y][threadIdx.x] = acc.z;
    __syncthreads();
    acc.x = acc_x_parts[0][threadIdx.x];
    acc.y = acc_y_parts[0][threadIdx.x];
    acc.z = acc_z_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) {
        acc.x += acc_x_parts[part][threadIdx.x];
        acc.y += acc_y_parts[part][threadIdx.x];
        acc.z += acc_z_parts[part][threadIdx.x];
    }
    if (threadIdx.y == 0 && i < n) out[i] = acc;
}
int main() {
    float4 *s; float3 *o;
    cudaMallocManaged(&s, 1000 * 16);
    cudaMallocManaged(&o, 1000 * 12);
    for (int i = 0; i < 1000; i++) s[i] = make_float4(i * 7 % 33 * 0.1f, 0, i, 1);
    forces<<<(1000 + 31) / 32, dim3(32, 16)>>>(s, o, 1000);
    cudaDeviceSynchronize();
    printf("%f\n", o[7].x);
}
