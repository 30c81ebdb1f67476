// kernel=update line=10 finding=KO108
// The sum starts as what follows from another value of its element.
__global__ void update(const double *a, const double *b, double *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    double before = c[row * n + col];
    double sum = before / 2;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum - before;
}

void run(const double *a, const double *b, double *c, int n)
{
    update<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
}
