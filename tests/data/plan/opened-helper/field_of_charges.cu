// kernel=probe line=14 finding=KO108 technique=tiled-pairs
#include <cstdio>
#include <cstdlib>

struct Charge {
    float x, y, z, q;
};

// potential and force along x
__device__ void field(const Charge *c, int m, float px, float py, float pz, float &phi, float &ex)
{
    for (int k = 0; k < m; ++k) {
        float dx = px - c[k].x, dy = py - c[k].y, dz = pz - c[k].z;
        float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        phi += c[k].q * rsqrtf(r2);
        ex += c[k].q * dx * rsqrtf(r2) / r2;
    }
}

__global__ void probe(float *out, float *along, const float *pos, const Charge *charges, int n, int m)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        float phi = 0, fx = 0;
        field(charges, m, pos[3 * i], pos[3 * i + 1], pos[3 * i + 2], phi, fx);
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
