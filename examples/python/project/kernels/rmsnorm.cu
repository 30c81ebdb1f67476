// out[row] = x[row] / sqrt(mean(x[row]^2) + eps) * weight, one warp for each row.
__global__ void rmsnorm(float *out, const float *x, const float *weight, int rows, int cols, float eps)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) sum += x[row * cols + c] * x[row * cols + c];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
    float scale = rsqrtf(sum / cols + eps);
    for (int c = lane; c < cols; c += 32) out[row * cols + c] = x[row * cols + c] * scale * weight[c];
}
