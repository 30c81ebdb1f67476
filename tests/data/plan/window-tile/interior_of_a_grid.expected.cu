// kernel=local_sum line=13 finding=KO108
#include <cstdio>

constexpr int HALF = 2;

__global__ void local_sum(const float *field, float *sums, int nx, int ny)
{
    const int ix = blockIdx.x * 32 + threadIdx.x;
    const int iy = blockIdx.y * 4 + threadIdx.y;
    __shared__ float field_tile[4 + 2 * HALF][32 + 2 * HALF];
    for (int cell = threadIdx.y * 32 + threadIdx.x; cell < (4 + 2 * HALF) * (32 + 2 * HALF); cell += 128) {
        const int row = cell / (32 + 2 * HALF), col = cell % (32 + 2 * HALF);
        const int iy_in = blockIdx.y * 4 + row - HALF;
        const int ix_in = blockIdx.x * 32 + col - HALF;
        if (ix_in >= 0 && iy_in >= 0 && ix_in < nx && iy_in < ny)
            field_tile[row][col] = field[iy_in * nx + ix_in];
    }
    __syncthreads();
    if (ix < HALF || iy < HALF) return;
    if (ix >= nx - HALF || iy >= ny - HALF) return;
    float sum = 0.0f;
    #pragma unroll
    for (int b = -HALF; b <= HALF; ++b)
        for (int a = -HALF; a <= HALF; ++a)
            sum += field_tile[threadIdx.y + b + HALF][threadIdx.x + a + HALF];
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
