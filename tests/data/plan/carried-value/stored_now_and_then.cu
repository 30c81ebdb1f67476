// kernel=hold line=8 finding=KO120
__global__ void hold(const float *in, float *out, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int k = 1; k < n; k++) {
        if (in[r * n + k] > 0.0f)
            out[r * n + k] = in[r * n + k] + out[r * n + k - 1];
    }
}
void run(const float *in, float *out) { hold<<<4, 32>>>(in, out, 128, 64); }
