// kernel=prefix line=7 finding=KO120
__global__ void prefix(const int *in, int *out, int rows, int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int c = 0; c < width; c++)
        out[r * width + c] = in[r * width + c] + (c > 0 ? out[r * width + c - 1] : 0);
}
void run(const int *in, int *out) { prefix<<<4, 32>>>(in, out, 128, 64); }
