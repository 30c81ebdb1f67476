// Top-K of every row of a matrix of scores (recommendation demo).
// One thread handles one user and keeps a little sorted list.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define K 8

typedef struct {
    float score;
    int   item;
} Hit;

__global__ void topk(const float *scores, Hit *hits, int users, int items)
{
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    if (user >= users) return;

    float best[K];
    int   best_item[K];
    for (int k = 0; k < K; k++) { best[k] = -1e30f; best_item[k] = -1; }

    for (int i = 0; i < items; i++) {
        float s = scores[(size_t)user * items + i];
        if (s > best[K - 1]) {
            int k = K - 1;
            while (k > 0 && best[k - 1] < s) {
                best[k] = best[k - 1];
                best_item[k] = best_item[k - 1];
                k--;
            }
            best[k] = s;
            best_item[k] = i;
        }
    }

    for (int k = 0; k < K; k++) {
        hits[user * K + k].score = best[k];
        hits[user * K + k].item  = best_item[k];
    }
}

int main(int argc, char **argv)
{
    int users = argc > 1 ? atoi(argv[1]) : 64;
    int items = argc > 2 ? atoi(argv[2]) : 256;
    size_t cells = (size_t)users * items;

    float *scores = (float *)malloc(cells * sizeof(float));
    unsigned int seed = 2023;
    for (size_t i = 0; i < cells; i++) {
        seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5;
        scores[i] = seed / 4294967296.0f;
    }

    float *d_scores;
    Hit *d_hits, *hits = (Hit *)malloc((size_t)users * K * sizeof(Hit));
    cudaError_t err;
    if ((err = cudaMalloc(&d_scores, cells * sizeof(float))) != cudaSuccess) goto fail;
    if ((err = cudaMalloc(&d_hits, (size_t)users * K * sizeof(Hit))) != cudaSuccess) goto fail;
    if ((err = cudaMemcpy(d_scores, scores, cells * sizeof(float), cudaMemcpyHostToDevice)) != cudaSuccess) goto fail;

    topk<<<(users + 63) / 64, 64>>>(d_scores, d_hits, users, items);
    if ((err = cudaGetLastError()) != cudaSuccess) goto fail;
    if ((err = cudaMemcpy(hits, d_hits, (size_t)users * K * sizeof(Hit), cudaMemcpyDeviceToHost)) != cudaSuccess) goto fail;

    for (int u = 0; u < 3 && u < users; u++) {
        printf("user %d:", u);
        for (int k = 0; k < K; k++) printf(" %d(%.4f)", hits[u * K + k].item, hits[u * K + k].score);
        printf("\n");
    }
    {
        long long sum = 0;
        for (int i = 0; i < users * K; i++) sum += hits[i].item;
        printf("sum of items %lld\n", sum);
    }

    cudaFree(d_scores);
    cudaFree(d_hits);
    free(scores);
    free(hits);
    return 0;

fail:
    fprintf(stderr, "CUDA error %d: %s\n", (int)err, cudaGetErrorString(err));
    return 1;
}
