// kernel=energy line=18 finding=KO111
#include <cstdio>
#include <cstdlib>
#define NBLK 64
#define NTHR 128

/* kinetic energy, every thread gets its own slab of particles */
__global__ void energy(const float *vx, const float *vy, const float *mass, double *slab, int n)
{
    __shared__ double part[NTHR];
    const int me = blockIdx.x * NTHR + threadIdx.x;
    const int each = (n + NBLK * NTHR - 1) / (NBLK * NTHR);
    double sum = 0;
    for (int i = me * each; i < (me + 1) * each && i < n; i++)
        sum += 0.5 * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i]);
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) { double s = 0; for (int t = 0; t < NTHR; t++) s += part[t]; slab[blockIdx.x] = s; }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100000;
    float *h = (float *)malloc(n * sizeof(float)), *vx, *vy, *m;
    double slabs[NBLK], *d_slabs, total = 0;
    for (int i = 0; i < n; i++) h[i] = (i % 17) * 0.25f;
    cudaMalloc(&vx, n * sizeof(float)); cudaMalloc(&vy, n * sizeof(float)); cudaMalloc(&m, n * sizeof(float));
    cudaMalloc(&d_slabs, NBLK * sizeof(double));
    cudaMemcpy(vx, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(vy, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(m, h, n * sizeof(float), cudaMemcpyHostToDevice);
    energy<<<NBLK, NTHR>>>(vx, vy, m, d_slabs, n);
    cudaMemcpy(slabs, d_slabs, sizeof(slabs), cudaMemcpyDeviceToHost);
    for (int b = 0; b < NBLK; b++) total += slabs[b];
    printf("%.3f\n", total);
    return 0;
}
