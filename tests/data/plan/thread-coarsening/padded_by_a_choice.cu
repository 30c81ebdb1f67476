// kernel=fold line=15 finding=KO108
__global__ void fold(const float *img, const float *taps, float *res, int chans, int filters, int nrow, int ncol)
{
    int c0 = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = blockIdx.y * blockDim.y + threadIdx.y;
    int which = blockIdx.z;
    if (c0 >= ncol || r0 >= nrow) return;
    float s = 0;
    for (int c = 0; c < chans; ++c)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                int rr = r0 + a - 1;
                int cc = c0 + b - 1;
                float p = rr < 0 || rr >= nrow || cc < 0 || cc >= ncol ? 0.0f : img[(c * nrow + rr) * ncol + cc];
                s += p * taps[((which * chans + c) * 3 + a) * 3 + b];
            }
    res[(which * nrow + r0) * ncol + c0] = s;
}

void run(const float *img, const float *taps, float *res, int chans, int filters, int nrow, int ncol)
{
    fold<<<dim3((ncol + 15) / 16, (nrow + 7) / 8, filters), dim3(16, 8)>>>(img, taps, res, chans, filters, nrow, ncol);
}
