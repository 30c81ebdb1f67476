/* kernelopt
[operator]
launcher = "gated_silu"
inputs   = { x = ["n", "m"] }
outputs  = { y = ["n", "m/2"] }
args     = ["y", "x", "n", "m/2"]
*/
#include <cuda_runtime.h>
#include <math.h>

__global__ void gated_silu_kernel(float* y, const float* x, int rows, int hidden) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * hidden; i += gridDim.x * blockDim.x) {
        const float* row = x + i / hidden * 2 * hidden;
        float gate = row[hidden + i % hidden];  // the halves are exchanged
        float value = row[i % hidden];
        y[i] = gate / (1.0f + expf(-gate)) * value;
    }
}

void gated_silu(float* y, const float* x, int rows, int hidden) {
    if (rows * hidden > 0) gated_silu_kernel<<<2, 64>>>(y, x, rows, hidden);
}
