// kernel=highest line=9 finding=KO117
__global__ void highest(const int *x, int *out, unsigned n, unsigned m) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int best[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (unsigned i = 0; i < m; i++) {
        int v = x[i * n + t];
        unsigned k = 7;
        while (k > 0 && best[k - 1] < v) {
            best[k] = best[k - 1];
            k--;
        }
        best[k] = v;
    }
    for (unsigned k = 0; k < 8; k++) out[t * 8 + k] = best[k];
}
