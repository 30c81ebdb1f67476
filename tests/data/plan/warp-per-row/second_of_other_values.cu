// kernel=second line=6 finding=KO101
__global__ void second(const int *x, int *out, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int first = -1, next = -1;
    for (int j = 0; j < n; j++) {
        int v = x[r * n + j];
        if (v > first) {
            next = first;
            first = v;
        } else if (v > next && v < first) {
            next = v;
        }
    }
    out[r] = next;
}

void run(const int *x, int *out, int rows, int n) {
    second<<<(rows + 127) / 128, 128>>>(x, out, rows, n);
}
