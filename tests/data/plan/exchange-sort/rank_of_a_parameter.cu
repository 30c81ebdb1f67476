// kernel=ranked line=10 finding=KO117
__global__ void ranked(const float *x, float *y, int n, int rank) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float w[9];
    for (int k = 0; k < 9; k++) w[k] = x[k * n + t];
    for (int i = 1; i < 9; i++) {
        float v = w[i];
        int j = i - 1;
        while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }
        w[j + 1] = v;
    }
    y[t] = w[rank];
}
