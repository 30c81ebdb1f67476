// kernel=smoothed line=7 finding=KO101
__global__ void smoothed(const int *x, float *out, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int bins[8];
    for (int k = 0; k < 8; k++) bins[k] = 1;
    for (int j = 0; j < n; j++) bins[x[r * n + j] & 7]++;
    for (int k = 0; k < 8; k++) out[r * 8 + k] = bins[k] / (n + 8.0f);
}

void run(const int *x, float *out, int rows, int n) {
    smoothed<<<(rows + 127) / 128, 128>>>(x, out, rows, n);
}
