// kernel=depthwise line=20 finding=KO108
#include <cuda_runtime.h>

#define TAPS 5

__global__ void depthwise(double *out, const double *maps, const double *filters, int height, int width)
{
    const int col = threadIdx.x + blockIdx.x * blockDim.x;
    const int row = threadIdx.y + blockIdx.y * blockDim.y;
    const int map = blockIdx.z;
    if (row < height && col < width) {
        double sum = 0.0;
        for (int dy = 0; dy < TAPS; ++dy) {
            int yy = row + dy - TAPS / 2;
            if (yy < 0 || yy >= height) continue;
            for (int dx = 0; dx < TAPS; ++dx) {
                int xx = col + dx - TAPS / 2;
                if (xx < 0) continue;
                if (xx >= width) continue;
                sum += filters[map * TAPS * TAPS + dy * TAPS + dx] * maps[(map * height + yy) * width + xx];
            }
        }
        out[(map * height + row) * width + col] = sum;
    }
}

void run(double *out, const double *maps, const double *filters, int count, int height, int width)
{
    dim3 threads(32, 8);
    depthwise<<<dim3((width + 31) / 32, (height + 7) / 8, count), threads>>>(out, maps, filters, height, width);
}
