// kernel=fading line=7 finding=KO101
__global__ void fading(const float *x, const float *w, float *out, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float acc[4];
    for (int k = 0; k < 4; k++) acc[k] = 0.0f;
    for (int j = 0; j < n; j++) {
        float v = x[r * n + j];
        for (int k = 0; k < 4; k++) acc[k] = acc[k] * 0.9f + v * w[k];
    }
    for (int k = 0; k < 4; k++) out[r * 4 + k] = acc[k];
}

void run(const float *x, const float *w, float *out, int rows, int n) {
    fading<<<(rows + 127) / 128, 128>>>(x, w, out, rows, n);
}
