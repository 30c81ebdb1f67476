// kernel=nearest line=13 finding=KO117
__global__ void nearest(const float *d, int *ids, int points, int queries) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries) return;
    float best[8];
    int id[8];
    int found = 0;
    for (int p = 0; p < points; p++) {
        float v = d[p * queries + q];
        if (v > 1.0f) continue;
        if (found < 8) found++;
        int k = found - 1;
        while (k > 0 && best[k - 1] > v) {
            best[k] = best[k - 1];
            id[k] = id[k - 1];
            k--;
        }
        best[k] = v;
        id[k] = p;
    }
    for (int k = 0; k < 8; k++) ids[q * 8 + k] = k < found ? id[k] : -1;
}
