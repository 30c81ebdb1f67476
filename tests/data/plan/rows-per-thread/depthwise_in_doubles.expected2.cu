// kernel=depthwise line=20 finding=KO108
#include <cuda_runtime.h>

#define TAPS 5

__global__ void depthwise(double *out, const double *maps, const double *filters, int height, int width)
{
    const int col = threadIdx.x + blockIdx.x * blockDim.x;
    const int first_row = (threadIdx.y + blockIdx.y * blockDim.y) * 2;
    const int map = blockIdx.z;
    if (first_row < height && col < width) {
        double sum[2] = {};
        double maps_window[TAPS + 1][TAPS];
        bool is_inside[TAPS + 1][TAPS];
        #pragma unroll
        for (int dy = 0; dy < TAPS + 1; ++dy) {
            #pragma unroll
            for (int dx = 0; dx < TAPS; ++dx) {
                int xx = col + dx - TAPS / 2;
                int yy = first_row + dy - TAPS / 2;
                is_inside[dy][dx] = yy >= 0 && yy < height && xx >= 0 && xx < width && first_row + dy < height + TAPS - 1;
                if (is_inside[dy][dx])
                    maps_window[dy][dx] = maps[(map * height + yy) * width + xx];
            }
        }
        #pragma unroll
        for (int dy = 0; dy < TAPS; ++dy) {
            #pragma unroll
            for (int dx = 0; dx < TAPS; ++dx) {
                double filters_value = {};
                bool is_used = false;
                #pragma unroll
                for (int q = 0; q < 2; q++) {
                    const int row = first_row + q;
                    is_used |= row < height && is_inside[dy + q][dx];
                }
                if (is_used)
                    filters_value = filters[map * TAPS * TAPS + dy * TAPS + dx];
                #pragma unroll
                for (int q = 0; q < 2; q++) {
                    if (is_inside[dy + q][dx])
                        sum[q] += filters_value * maps_window[dy + q][dx];
                }
            }
        }
        #pragma unroll
        for (int q = 0; q < 2; q++) {
            const int row = first_row + q;
            if (row < height)
                out[(map * height + row) * width + col] = sum[q];
        }
    }
}

void run(double *out, const double *maps, const double *filters, int count, int height, int width)
{
    dim3 threads(32, 8);
    depthwise<<<dim3((width + 31) / 32, (height + 15) / 16, count), threads>>>(out, maps, filters, height, width);
}
