/* kernelopt
[operator]
launcher = "max_pool"
inputs   = { x = ["b", "c", "h", "w"] }
outputs  = { y = ["b", "c", "(h - 1) // 2 + 1", "(w - 1) // 2 + 1"] }
args     = ["y", "x", "b * c", "h", "w", "(h - 1) // 2 + 1", "(w - 1) // 2 + 1"]
*/
#include <cuda_runtime.h>
#include <math.h>

// One thread for each output. A NaN in the window is the maximum, as in PyTorch; the border is below everything.
__global__ void max_pool_kernel(float* y, const float* x, int planes, int height, int width, int out_height, int out_width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * out_height * out_width) return;
    int column = i % out_width, row = i / out_width % out_height;
    const float* plane = x + i / (out_height * out_width) * height * width;
    float largest = -INFINITY;
    for (int r = 2 * row - 1; r <= 2 * row + 1; ++r) {
        for (int c = 2 * column - 1; c <= 2 * column + 1; ++c) {
            if (r < 0 || r >= height || c < 0 || c >= width) continue;
            float value = plane[r * width + c];
            if (value > largest || isnan(value)) largest = value;
        }
    }
    y[i] = largest;
}

void max_pool(float* y, const float* x, int planes, int height, int width, int out_height, int out_width) {
    int count = planes * out_height * out_width;
    if (count > 0) max_pool_kernel<<<(count + 63) / 64, 64>>>(y, x, planes, height, width, out_height, out_width);
}
