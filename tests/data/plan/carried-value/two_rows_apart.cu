// kernel=skip line=6 finding=KO120
__global__ void skip(float *v, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int k = 2; k < n; k++) v[k * rows + r] = 0.5f * v[(k - 2) * rows + r];
}
void run(float *v) { skip<<<4, 32>>>(v, 128, 64); }
