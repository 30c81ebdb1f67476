// kernel=heap line=7 finding=KO120
__global__ void heap(float *v, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int k = 1; k < n; k++) {
        v[r * n + k] = 0.5f * v[r * n + k - 1];
        v[r * n + k / 2] += 1.0f;
    }
}
void run(float *v) { heap<<<4, 32>>>(v, 128, 64); }
