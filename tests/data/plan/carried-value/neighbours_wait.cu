// kernel=sweep line=7 finding=KO120
__global__ void sweep(float *v, int n, int steps)
{
    int x = threadIdx.x;
    for (int t = 1; t < steps; t++) {
        float left = v[(t - 1) * n + (x + n - 1) % n];
        v[t * n + x] = 0.5f * (v[(t - 1) * n + x] + left);
        __syncthreads();
    }
}
void run(float *v) { sweep<<<1, 64>>>(v, 64, 100); }
