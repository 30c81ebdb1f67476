// kernel=gram line=9 finding=KO108
// Products of floats, rounded to float before they are added.
__global__ void gram(const float *x, double *g, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    double sum = 0.0;
    for (int k = 0; k < m; k++) sum += x[i * m + k] * x[j * m + k];
    g[i * n + j] = sum;
}

void run(const float *x, double *g, int n, int m)
{
    gram<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(x, g, n, m);
}
