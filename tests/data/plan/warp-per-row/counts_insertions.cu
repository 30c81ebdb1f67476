// kernel=records line=8 finding=KO101
__global__ void records(const float *x, float *out, int *count, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float top[3];
    int records = 0;
    top[0] = top[1] = top[2] = 0.0f;
    for (int j = 0; j < n; j++) {
        float v = x[r * n + j];
        if (v > top[2]) {
            int k = 2;
            for (; k > 0 && top[k - 1] < v; k--) top[k] = top[k - 1];
            top[k] = v;
            records++;
        }
    }
    count[r] = records;
    for (int k = 0; k < 3; k++) out[r * 3 + k] = top[k];
}

void run(const float *x, float *out, int *count, int rows, int n) {
    records<<<(rows + 127) / 128, 128>>>(x, out, count, rows, n);
}
