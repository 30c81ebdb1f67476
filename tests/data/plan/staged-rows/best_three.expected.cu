// kernel=bestThree line=15 finding=KO101
#include <cstdio>
#include <cstdlib>

__global__ void bestThree(const float *scores, int *places, int users, int items)
{
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_inside = user < users;

    float best[3] = {-1e30f, -1e30f, -1e30f};
    int place[3] = {-1, -1, -1};
    __shared__ float scores_tile[32][33];
    const int lane = threadIdx.x % 32, first_thread = threadIdx.x - lane, first_row = user - lane;
    for (int tile = 0; tile < items; tile += 32)
    {
        if (tile + lane < items)
        {
            const float *scores_column = scores + (size_t)first_row * items + tile + lane;
            #pragma unroll
            for (int r = 0; r < 32; ++r)
                if (first_row + r < users)
                    scores_tile[first_thread + r][lane] = scores_column[r * items];
        }
        __syncwarp();
        const int stop = is_inside ? min(tile + 32, items) : tile;
        for (int i = tile; i < stop; i++)
        {
            int k = 3;
            float s = scores_tile[threadIdx.x][i - tile];
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
        __syncwarp();
    }
    if (is_inside)
    {
        for (int k = 0; k < 3; k++)
            places[user * 3 + k] = place[k];
    }
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
