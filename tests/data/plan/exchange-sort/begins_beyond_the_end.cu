// kernel=highest line=10 finding=KO117
__global__ void highest(const int *x, int *out, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int best[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < m; i++) {
        int v = x[i * n + t];
        // the worst of them first
        int k = 7;
        while (k < 4 && best[k + 1] < v) { best[k] = best[k + 1]; k++; }
        best[k] = v;
    }
    for (int k = 0; k < 8; k++) out[t * 8 + k] = best[k];
}
