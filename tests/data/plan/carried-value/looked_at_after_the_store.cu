// kernel=differences line=9 finding=KO120
__global__ void differences(const float *in, float *level, float *steps, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int k = 1; k < n; k++) {
        float next = in[r * n + k] * 0.25f;
        level[r * n + k] = next;
        steps[r * n + k] = next - level[r * n + k - 1];
    }
}
