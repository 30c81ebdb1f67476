// kernel=sorted line=10 finding=KO117
__global__ void sorted(const int *x, int *y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int w[7];
    for (int k = 0; k < 7; k++) w[k] = x[k * n + t];
    for (int i = 2; i < 7; i++) {
        int v = w[i];
        int j = i - 1;
        while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }
        w[j + 1] = v;
    }
    y[t] = w[3];
}
