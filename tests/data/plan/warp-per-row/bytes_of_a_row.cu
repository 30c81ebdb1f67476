// kernel=bytes_of line=7 finding=KO101
__global__ void bytes_of(const unsigned char *x, int *out, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int bins[256];
    for (int k = 0; k < 256; k++) bins[k] = 0;
    for (int j = 0; j < n; j++) bins[x[r * n + j]]++;
    for (int k = 0; k < 256; k++) out[r * 256 + k] = bins[k];
}

void run(const unsigned char *x, int *out, int rows, int n) {
    bytes_of<<<(rows + 127) / 128, 128>>>(x, out, rows, n);
}
