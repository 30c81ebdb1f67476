/* kernelopt
[operator]
launcher = "bias_gelu_residual"
inputs   = { x = ["n", "m"], residual = ["n", "m"] }
outputs  = { y = ["n", "m"] }
weights  = { bias = "bias" }
args     = ["y", "x", "residual", "bias", "n*m", "m"]
[operator.backward]
launcher = "bias_gelu_residual_backward"
args     = ["grad_x", "grad_residual", "grad_bias", "grad_y", "x", "bias", "n*m", "m"]
*/
#include <cuda_runtime.h>
#include <math.h>

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f)); }

__global__ void bias_gelu_residual_kernel(float* y, const float* x, const float* residual, const float* bias, int count, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = gelu(x[i] + bias[i % columns]) + residual[i];
}

void bias_gelu_residual(float* y, const float* x, const float* residual, const float* bias, int count, int columns) {
    if (count > 0) bias_gelu_residual_kernel<<<(count + 127) / 128, 128>>>(y, x, residual, bias, count, columns);
}

__device__ float slope_of_gelu(float v) {
    return 0.5f * (1.0f + erff(v * 0.70710678118654752f)) + v * 0.39894228040143268f * expf(-0.5f * v * v);
}

// One thread for each column, so that the bias needs no atomics.
__global__ void backward_kernel(
    float* grad_x, float* grad_residual, float* grad_bias, const float* grad_y, const float* x, const float* bias, int count, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0.0f;
    for (int i = column; i < count; i += columns) {
        float gradient = grad_y[i] * slope_of_gelu(x[i] + bias[column]);
        grad_x[i] = gradient;
        grad_residual[i] = grad_y[i];
        sum += gradient;
    }
    grad_bias[column] = sum;
}

void bias_gelu_residual_backward(
    float* grad_x, float* grad_residual, float* grad_bias, const float* grad_y, const float* x, const float* bias, int count, int columns) {
    if (columns > 0) {
        backward_kernel<<<(columns + 63) / 64, 64>>>(grad_x, grad_residual, grad_bias, grad_y, x, bias, count, columns);
    }
}
