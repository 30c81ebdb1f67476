// kernel=bestThree line=15 finding=KO101
#include <cstdio>
#include <cstdlib>

__global__ void bestThree(const float *scores, int *places, int users, int items)
{
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    if (user >= users) return;

    float best[3] = {-1e30f, -1e30f, -1e30f};
    int place[3] = {-1, -1, -1};
    for (int i = 0; i < items; i++)
    {
        int k = 3;
        float s = scores[(size_t)user * items + i];
        while (k > 0 && s > best[k - 1])
        {
            if (k < 3)
            {
                best[k] = best[k - 1];
                place[k] = place[k - 1];
            }
            k--;
        }
        if (k < 3)
        {
            best[k] = s;
            place[k] = i;
        }
    }
    for (int k = 0; k < 3; k++)
        places[user * 3 + k] = place[k];
}

int main(int argc, char **argv)
{
    int users = argc > 1 ? atoi(argv[1]) : 100, items = argc > 2 ? atoi(argv[2]) : 77;
    float *h = (float *)malloc(sizeof(float) * users * items);
    int *p = (int *)malloc(sizeof(int) * users * 3);
    for (int i = 0; i < users * items; i++) h[i] = (float)((i * 7919u) % 10007u);
    float *scores;
    int *places;
    cudaMalloc(&scores, sizeof(float) * users * items);
    cudaMalloc(&places, sizeof(int) * users * 3);
    cudaMemcpy(scores, h, sizeof(float) * users * items, cudaMemcpyHostToDevice);
    bestThree<<<(users + 31) / 32, 32>>>(scores, places, users, items);
    cudaMemcpy(p, places, sizeof(int) * users * 3, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int i = 0; i < users * 3; i++) sum += p[i] * (i % 7);
    printf("%ld\n", sum);
    cudaFree(scores);
    cudaFree(places);
    free(h);
    free(p);
    return 0;
}
