// kernel=mirror line=11 finding=KO108
__global__ void mirror(const float *img, const float *taps, float *res, int nrow, int ncol)
{
    int c0 = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = blockIdx.y * blockDim.y + threadIdx.y;
    if (c0 >= ncol || r0 >= nrow) return;
    float s = 0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 5; ++b) {
            int rr = r0 + a - 1;
            s += (rr < 0 ? img[c0 + b] : img[rr * ncol + c0 + b]) * taps[a * 5 + b];
        }
    res[r0 * ncol + c0] = s;
}
void run(const float *img, const float *taps, float *res, int nrow, int ncol)
{
    mirror<<<dim3((ncol + 15) / 16, (nrow + 7) / 8), dim3(16, 8)>>>(img, taps, res, nrow, ncol);
}
