// kernel=best line=7 finding=KO101
__global__ void best(const float *scores, int *items, int users, int n) {
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    if (user >= users) return;
    float most[2] = {-1.0f, -1.0f};
    for (int i = 0; i < n; i++) {
        float s = scores[(size_t)user * n + i];
        if (s > most[1]) { most[1] = s; items[user] = i; }
        if (most[1] > most[0]) { float t = most[0]; most[0] = most[1]; most[1] = t; }
    }
}
