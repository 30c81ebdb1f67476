// kernel=middle line=17 finding=KO117
__device__ void order(float *v, int n) {
    for (int i = 1; i < n; i++)
        if (v[i] < v[i - 1]) { float t = v[i]; v[i] = v[i - 1]; v[i - 1] = t; }
}

__global__ void middle(const float *x, float *y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float v[5];
    for (int i = 0; i < 5; i++) v[i] = x[t * 5 + i];
    order(v, 5);
    for (int i = 1; i < 5; i++) {
        float key = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > key; j--)
            v[j] = v[j - 1];
        v[j] = key;
    }
    y[t] = v[2];
}
