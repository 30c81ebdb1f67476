// kernel=topk line=19 finding=KO109
#include <cstdio>
#include <vector>
#include <algorithm>

#define K 4

// a warp for each user: every lane keeps its own list, then they become one
__global__ void topk(const float *scores, int *items, int users, int count)
{
    int user = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (user >= users) return;
    float best[K];
    int item[K];
    for (int k = 0; k < K; k++) { best[k] = -1e30f; item[k] = -1; }
    for (int i = lane; i < count; i += 32) {
        float s = scores[user * count + i];
        if (s > best[K - 1]) {
            int k = K - 1;
            while (k > 0 && best[k - 1] < s) {
                best[k] = best[k - 1];
                item[k] = item[k - 1];
                k--;
            }
            best[k] = s;
            item[k] = i;
        }
    }
    for (int place = 0; place < K; place++) {
        float first = best[place];
        int first_item = item[place];
        for (int offset = 16; offset > 0; offset /= 2) {
            float other = __shfl_xor_sync(0xffffffff, first, offset);
            int other_item = __shfl_xor_sync(0xffffffff, first_item, offset);
            if (other > first || (other == first && other_item < first_item)) {
                first = other;
                first_item = other_item;
            }
        }
        if (best[place] != first || item[place] != first_item) {
            for (int j = K - 1; j > place; j--) {
                best[j] = best[j - 1];
                item[j] = item[j - 1];
            }
            best[place] = first;
            item[place] = first_item;
        }
    }
    if (lane == 0)
        for (int k = 0; k < K; k++) items[user * K + k] = item[k];
}

int main()
{
    const int users = 60, count = 300;
    float *scores;
    int *items;
    cudaMallocManaged(&scores, users * count * sizeof(float));
    cudaMallocManaged(&items, users * K * sizeof(int));
    for (int i = 0; i < users * count; i++) scores[i] = i * 7919 % 199;
    topk<<<(users + 3) / 4, 128>>>(scores, items, users, count);
    cudaDeviceSynchronize();
    for (int u = 0; u < users; u++) {
        std::vector<int> all(count);
        for (int i = 0; i < count; i++) all[i] = i;
        std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return scores[u * count + a] > scores[u * count + b]; });
        for (int k = 0; k < K; k++)
            if (items[u * K + k] != all[k]) return printf("FAIL %d\n", u), 1;
    }
    return puts("PASS"), 0;
}
