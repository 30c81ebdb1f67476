// kernel=pull line=11 finding=KO108
#include <cstdio>
struct Body { float x, y, z, vx, vy, vz, mass; int alive; };
__global__ void pull(const Body *p, float *ax, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    const bool is_inside = i < n;
    float a = 0;
    __shared__ float4 p_tile[128];
    __shared__ int p_tile2[128];
    for (int tile = 0; tile < n; tile += 128) {
        const int item = tile + threadIdx.x;
        if (item < n) {
            p_tile[threadIdx.x] = make_float4(p[item].x, p[item].y, p[item].mass, 0.0f);
            p_tile2[threadIdx.x] = p[item].alive;
        }
        __syncthreads();
        const int tile_end = min(tile + 128, n);
        if (is_inside)
            for (int j = tile; j < tile_end; j++) {
                if (j == i || !p_tile2[j - tile]) continue;
                float dx = p_tile[j - tile].x - p[i].x, dy = p_tile[j - tile].y - p[i].y;
                a += p_tile[j - tile].z * dx * rsqrtf(dx * dx + dy * dy + 0.01f);
            }
        __syncthreads();
    }
    if (is_inside) ax[i] = a;
}
int main()
{
    Body *p;
    float *a;
    cudaMallocManaged(&p, 1000 * sizeof(Body));
    cudaMallocManaged(&a, 1000 * sizeof(float));
    for (int i = 0; i < 1000; i++) p[i] = {i % 37 * 0.1f, i % 11 * 0.2f, 0, 0, 0, 0, 1.0f, i % 17 != 0};
    pull<<<(1000 + 127) / 128, 128>>>(p, a, 1000);
    cudaDeviceSynchronize();
    printf("%f\n", a[3]);
}
