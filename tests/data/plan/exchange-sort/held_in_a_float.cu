// kernel=sorted line=11 finding=KO117
__global__ void sorted(const double *x, double *y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    double w[5];
    for (int k = 0; k < 5; k++) w[k] = x[k * n + t];
    for (int i = 1; i < 5; i++) {
        float v = w[i];
        int j = i - 1;
        while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }
        w[j + 1] = v;
    }
    for (int k = 0; k < 5; k++) y[k * n + t] = w[k];
}
