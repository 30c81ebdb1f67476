// kernel=local_sum line=13 finding=KO108
#include <cstdio>

constexpr int HALF = 2;

__global__ void local_sum(const float *field, float *sums, int nx, int ny)
{
    const int ix = blockIdx.x * 32 + threadIdx.x;
    const int iy = blockIdx.y * 4 + threadIdx.y;
    if (ix < HALF || iy < HALF) return;
    if (ix >= nx - HALF || iy >= ny - HALF) return;
    float sum = 0.0f;
    for (int b = -HALF; b <= HALF; ++b)
        for (int a = -HALF; a <= HALF; ++a)
            sum += field[(iy + b) * nx + (ix + a)];
    sums[iy * nx + ix] = sum;
}

int main()
{
    const int nx = 43, ny = 17;
    float *field, *sums;
    cudaMallocManaged(&field, nx * ny * sizeof(float));
    cudaMallocManaged(&sums, nx * ny * sizeof(float));
    for (int i = 0; i < nx * ny; ++i) field[i] = i % 13, sums[i] = 0;
    local_sum<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(field, sums, nx, ny);
    cudaDeviceSynchronize();
    double total = 0;
    for (int i = 0; i < nx * ny; ++i) total += sums[i] * (i % 4 + 1);
    printf("%.1f\n", total);
    return 0;
}
