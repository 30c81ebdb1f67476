// kernel=normalize line=13 finding=KO106
#include <cstdio>
#include <cmath>

#define TILE 64

extern "C" __global__ void normalize(float *rows, int width)
{
    __shared__ float partial[TILE];
    float *row = rows + blockIdx.x * width;
    float sum = 0.0;
    for (float *p = row + threadIdx.x; p < row + width; p += TILE)
        sum += *p / 3.0f;
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = TILE / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    float scale = 1.0f / (partial[0] + 1e-12f);
    double check = partial[0];
    for (int i = threadIdx.x; i < width; i += TILE)
        row[i] *= check > 0.0 ? scale : 1.0f;
}

static void launch(float *rows, int height, int width) { normalize<<<height, TILE>>>(rows, width); }

int main()
{
    const int height = 4, width = 90;
    float *rows;
    cudaMallocManaged(&rows, height * width * sizeof(float));
    for (int i = 0; i < height * width; i++) rows[i] = 1;
    launch(rows, height, width);
    cudaDeviceSynchronize();
    for (int i = 0; i < height * width; i++)
        if (fabs(rows[i] - 1.0 / 30) > 1e-6) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
