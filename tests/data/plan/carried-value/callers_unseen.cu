// kernel=smooth line=8 finding=KO120
__global__ void smooth(const float *in, float *out, float *weights, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int k = 1; k < n; k++) {
        weights[r * n + k] = in[r * n + k] * 0.5f;
        out[r * n + k] = weights[r * n + k] + out[r * n + k - 1];
    }
}
