// kernel=sorted line=11 finding=KO117
__global__ void sorted(const float *x, float *y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float w[8];
    w[0] = -1e30f;  // nothing is smaller, so that the loop ends there
    for (int k = 1; k < 8; k++) w[k] = x[k * n + t];
    for (int i = 1; i < 8; i++) {
        float v = w[i];
        unsigned j = i - 1;
        while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }
        w[j + 1] = v;
    }
    y[t] = w[4];
}
