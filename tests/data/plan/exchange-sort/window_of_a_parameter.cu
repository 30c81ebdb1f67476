// kernel=median_of line=10 finding=KO117
__global__ void median_of(const float *x, float *y, int n, int width) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t + width > n) return;
    float w[25];
    for (int i = 0; i < width; i++) w[i] = x[t + i];
    for (int i = 1; i < width; i++) {
        float v = w[i];
        int j = i - 1;
        while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }
        w[j + 1] = v;
    }
    y[t] = w[width / 2];
}
