// kernel=gaps line=7 finding=KO101
__global__ void gaps(const float *x, float *out, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float top[4];
    for (int k = 0; k < 4; k++) top[k] = -1e30f;
    for (int j = 0; j < n; j++) {
        float v = x[r * n + j];
        if (v > top[3]) {
            int k = 3;
            for (; k > 1 && top[k - 1] < v; k--) top[k] = top[k - 1];
            top[k] = v;
        }
    }
    for (int k = 0; k < 4; k++) out[r * 4 + k] = top[k];
}

void run(const float *x, float *out, int rows, int n) {
    gaps<<<(rows + 127) / 128, 128>>>(x, out, rows, n);
}
