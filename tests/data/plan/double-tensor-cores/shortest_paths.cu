// kernel=relax line=9 finding=KO101
// A minimum of sums.
__global__ void relax(const double *near, const double *far, double *best, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    double least = 1e300;
    for (int k = 0; k < n; k++) least = fmin(least, near[i * n + k] + far[k * n + j]);
    best[i * n + j] = least;
}

void run(const double *near, const double *far, double *best, int n)
{
    relax<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(near, far, best, n);
}
