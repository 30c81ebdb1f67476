// kernel=best_of line=8 finding=KO101
__global__ void best_of(const float *scores, float *top, int users, int items) {
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    if (user >= users) return;
    float best[8] = {0};
    for (int i = 0; i < items; i++) {
        float s = scores[user * items + i];
        int worst = 0;
        for (int k = 1; k < 8; k++)
            if (best[k] < best[worst]) worst = k;
        if (s > best[worst]) best[worst] = s;
    }
    for (int k = 0; k < 8; k++) top[user * 8 + k] = best[k];
}

void run(const float *scores, float *top, int users, int items) {
    best_of<<<(users + 127) / 128, 128>>>(scores, top, users, items);
}
