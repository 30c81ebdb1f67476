// kernel=pull line=10 finding=KO111
#include <cstdio>
struct Forces { float *x; float *y; };
__global__ void pull(const float *px, const float *py, Forces f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float ax = 0, ay = 0;
    if (i < n)
        for (int j = threadIdx.y; j < n; j += 16) {
            float dx = px[j] - px[i], dy = py[j] - py[i];
            float r = rsqrtf(dx * dx + dy * dy + 0.01f);
            ax += dx * r;
            ay += dy * r;
        }
    __shared__ float ax_parts[16][32];
    __shared__ float ay_parts[16][32];
    ax_parts[threadIdx.y][threadIdx.x] = ax;
    ay_parts[threadIdx.y][threadIdx.x] = ay;
    __syncthreads();
    ax = ax_parts[0][threadIdx.x];
    ay = ay_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) {
        ax += ax_parts[part][threadIdx.x];
        ay += ay_parts[part][threadIdx.x];
    }
    if (threadIdx.y == 0 && i < n) {
        f.x[i] += ax;
        f.y[i] += ay;
    }
}
int main()
{
    float *p;
    Forces f;
    cudaMallocManaged(&p, 1000 * sizeof(float));
    cudaMallocManaged(&f.x, 500 * sizeof(float));
    cudaMallocManaged(&f.y, 500 * sizeof(float));
    for (int i = 0; i < 1000; i++) p[i] = i * 37 % 101 * 0.1f;
    pull<<<(500 + 31) / 32, dim3(32, 16)>>>(p, p + 500, f, 500);
    cudaDeviceSynchronize();
    printf("%f\n", f.x[3] + f.y[4]);
}
