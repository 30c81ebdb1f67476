// kernel=nearest line=9 finding=KO101
__global__ void nearest(const float *d, const int *numbers, int *ids, int queries, int points) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries) return;
    float far[5];
    int id[5];
    for (int k = 0; k < 5; k++) { far[k] = 1e30f; id[k] = -1; }
    for (int p = 0; p < points; p++) {
        float v = d[q * points + p];
        int number = numbers[p];
        if (v < far[4]) {
            int k = 4;
            while (k > 0 && far[k - 1] > v) {
                far[k] = far[k - 1];
                id[k] = id[k - 1];
                k--;
            }
            far[k] = v;
            id[k] = number;
        }
    }
    for (int k = 0; k < 5; k++) ids[q * 5 + k] = id[k];
}

void run(const float *d, const int *numbers, int *ids, int queries, int points) {
    nearest<<<(queries + 127) / 128, 128>>>(d, numbers, ids, queries, points);
}
