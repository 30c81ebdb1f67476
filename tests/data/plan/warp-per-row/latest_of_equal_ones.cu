// kernel=most_recent line=10 finding=KO101
__global__ void most_recent(const float *scores, int *top, int users, int items) {
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    if (user >= users) return;
    float best[4];
    int item[4];
    for (int k = 0; k < 4; k++) { best[k] = 0.0f; item[k] = -1; }
    for (int i = 0; i < items; i++) {
        float s = scores[user * items + i];
        if (s >= best[3]) {
            int k = 3;
            while (k > 0 && best[k - 1] <= s) {
                best[k] = best[k - 1];
                item[k] = item[k - 1];
                k--;
            }
            best[k] = s;
            item[k] = i;
        }
    }
    for (int k = 0; k < 4; k++) top[user * 4 + k] = item[k];
}

void run(const float *scores, int *top, int users, int items) {
    most_recent<<<(users + 127) / 128, 128>>>(scores, top, users, items);
}
