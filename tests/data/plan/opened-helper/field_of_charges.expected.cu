// kernel=probe line=14 finding=KO108 technique=tiled-pairs
#include <cstdio>
#include <cstdlib>

struct Charge {
    float x, y, z, q;
};

__global__ void probe(float *out, float *along, const float *pos, const Charge *charges, int n, int m)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    const bool is_inside = i < n;
    float phi = 0, fx = 0;
    // potential and force along x
    float px = is_inside ? pos[3 * i] : 0.0f;
    float py = is_inside ? pos[3 * i + 1] : 0.0f;
    float pz = is_inside ? pos[3 * i + 2] : 0.0f;
    __shared__ float4 charges_tile[96];
    for (int tile = 0; tile < m; tile += 96) {
        const int item = tile + threadIdx.x;
        if (item < m)
            charges_tile[threadIdx.x] = make_float4(charges[item].x, charges[item].y, charges[item].z, charges[item].q);
        __syncthreads();
        const int tile_end = min(tile + 96, m);
        if (is_inside)
            for (int k = tile; k < tile_end; ++k) {
                float dx = px - charges_tile[k - tile].x, dy = py - charges_tile[k - tile].y, dz = pz - charges_tile[k - tile].z;
                float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
                phi += charges_tile[k - tile].w * rsqrtf(r2);
                fx += charges_tile[k - tile].w * dx * rsqrtf(r2) / r2;
            }
        __syncthreads();
    }
    if (is_inside) {
        out[i] = phi;
        along[i] = fx;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, m = argc > 2 ? atoi(argv[2]) : 150;
    float *pos, *out, *along;
    Charge *charges;
    cudaMallocManaged(&pos, 3 * n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&along, n * sizeof(float));
    cudaMallocManaged(&charges, m * sizeof(Charge));
    for (int i = 0; i < 3 * n; i++) pos[i] = (i % 37) * 0.1f - 1;
    for (int i = 0; i < m; i++) charges[i] = Charge{(i % 11) * 0.2f, (i % 7) * 0.3f, 2.0f, i % 2 ? 1.0f : -1.0f};
    probe<<<(n + 95) / 96, 96>>>(out, along, pos, charges, n, m);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n; i++) sum += out[i] + along[i];
    printf("%.4f\n", sum);
    return 0;
}
