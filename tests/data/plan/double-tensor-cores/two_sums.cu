// kernel=complex_product line=10 finding=KO108
// Real and imaginary part in two sums.
__global__ void complex_product(const double *ar, const double *ai, const double *br, const double *bi, double *cr, double *ci, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    double re = 0.0, im = 0.0;
    for (int k = 0; k < n; ++k) {
        re += ar[row * n + k] * br[k * n + col];
        im += ai[row * n + k] * bi[k * n + col];
    }
    cr[row * n + col] = re - im;
    ci[row * n + col] = re + im;
}

void run(const double *ar, const double *ai, const double *br, const double *bi, double *cr, double *ci, int n)
{
    complex_product<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(ar, ai, br, bi, cr, ci, n);
}
