// kernel=largest line=9 finding=KO101
__global__ void largest(const int *x, int *out, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int top[3];
    for (int k = 0; k < 3; k++) top[k] = x[r * n + k];
    if (top[0] < top[1]) { int t = top[0]; top[0] = top[1]; top[1] = t; }
    if (top[1] < top[2]) { int t = top[1]; top[1] = top[2]; top[2] = t; }
    for (int j = 3; j < n; j++) {
        int v = x[r * n + j];
        if (v <= top[2]) continue;
        int k = 2;
        for (; k > 0 && top[k - 1] < v; k--) top[k] = top[k - 1];
        top[k] = v;
    }
    for (int k = 0; k < 3; k++) out[r * 3 + k] = top[k];
}

void run(const int *x, int *out, int rows, int n) {
    largest<<<(rows + 127) / 128, 128>>>(x, out, rows, n);
}
