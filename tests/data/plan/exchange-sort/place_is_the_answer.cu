// kernel=rank_of_last line=9 finding=KO117
__global__ void rank_of_last(const float *x, int *ranks, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float best[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < m; i++) {
        float v = x[i * n + t];
        int k = 7;
        while (k > 0 && best[k - 1] < v) {
            best[k] = best[k - 1];
            k--;
        }
        best[k] = v;
        if (k == 0) ranks[t] = i;
    }
}
