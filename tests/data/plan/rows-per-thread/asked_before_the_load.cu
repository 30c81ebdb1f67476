// kernel=count_near line=11 finding=KO108
__global__ void count_near(const float *img, int *res, float level, int nrow, int ncol)
{
    int c0 = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = blockIdx.y * blockDim.y + threadIdx.y;
    if (c0 >= ncol || r0 >= nrow) return;
    int n = 0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 5; ++b) {
            int rr = r0 + a - 1;
            n += rr >= 0 && rr < nrow && img[rr * ncol + c0 + b] > level;
        }
    res[r0 * ncol + c0] = n;
}
void run(const float *img, int *res, float level, int nrow, int ncol)
{
    count_near<<<dim3((ncol + 15) / 16, (nrow + 7) / 8), dim3(16, 8)>>>(img, res, level, nrow, ncol);
}
