// kernel=fold line=17 finding=KO108
__global__ void fold(const float *img, const float *taps, float *res, int chans, int nrow, int ncol)
{
    int c0 = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned r0 = blockIdx.y * blockDim.y + threadIdx.y;
    if (c0 >= ncol || r0 >= nrow) return;

    float s = 0;
    for (int c = 0; c < chans; ++c) {
        for (int a = -1; a <= 1; ++a)
            for (int b = -2; b <= 2; ++b) {
                int rr = (int)r0 + a;
                int cc = c0 + b;
                float p = (rr < 0 || rr >= nrow || cc < 0 || cc >= ncol)
                              ? 0.0f
                              : img[(c * nrow + rr) * ncol + cc];
                s += p * taps[(c * 3 + a + 1) * 5 + b + 2];
            }
    }
    res[r0 * ncol + c0] = s;
}

void run(const float *img, const float *taps, float *res, int chans, int nrow, int ncol)
{
    fold<<<dim3((ncol + 15) / 16, (nrow + 7) / 8), dim3(16, 8)>>>(img, taps, res, chans, nrow, ncol);
}
