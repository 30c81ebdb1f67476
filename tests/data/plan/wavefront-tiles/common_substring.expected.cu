// kernel=suffixes line=38 finding=KO125
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

constexpr int TILE = 32;

/* How long the common suffix of both prefixes is, and what was done to get there. */
// Each block fills a tile of the table, and a launch the diagonal `sum` of tiles.
__global__ void suffixes(const unsigned char *s, const unsigned char *t, int *len, unsigned char *step, int *longest,
                         int m, int n, int sum, int first)
{
    __shared__ int tile[TILE + 1][TILE + 2];
    int lane = threadIdx.x;
    int i0 = (first + blockIdx.x) * TILE;
    int j0 = (sum - first - blockIdx.x) * TILE;
    int i = i0 + lane;

    // what the tiles above and to the left have stored next to this one
    if (i < m && j0 > 0)
        tile[lane + 1][0] = len[i * n + j0 - 1];
    if (j0 + lane < n && i0 > 0)
        tile[0][lane + 1] = len[(i0 - 1) * n + j0 + lane];
    if (lane == 0 && i0 > 0 && j0 > 0)
        tile[0][0] = len[(i0 - 1) * n + j0 - 1];
    __syncthreads();

    for (int step_in_tile = 0; step_in_tile < 2 * TILE - 1; step_in_tile++) {
        int c = step_in_tile - lane;
        int j = j0 + c;
        if (c >= 0 && c < TILE && i < m && j < n) {
            int before = i > 0 && j > 0 ? tile[lane][c] : 0;
            int own = 0;
            step[i * n + j] = 0;
            if (s[i] == t[j]) {
                own = before + 1;
                step[i * n + j] = 1;
                atomicMax(&longest[0], own);
            }
            tile[lane + 1][c + 1] = own;
        }
        __syncthreads();
    }

    if (j0 + lane < n)
        for (int r = 0; r < TILE && i0 + r < m; r++)
            len[(i0 + r) * n + j0 + lane] = tile[r + 1][lane + 1];
}

static void run(const unsigned char *s, const unsigned char *t, int *len, unsigned char *step, int *longest, int m, int n)
{
    cudaMemset(longest, 0, sizeof(int));

    /* a launch for each diagonal */
    int tile_rows = (m + TILE - 1) / TILE;
    int tile_columns = (n + TILE - 1) / TILE;
    for (int sum = 0; sum < tile_rows + tile_columns - 1; sum++) {
        int first = sum < tile_columns ? 0 : sum - tile_columns + 1;
        int last = sum < tile_rows ? sum : tile_rows - 1;
        if (last < first) continue;  // no rows or no columns
        suffixes<<<last - first + 1, TILE>>>(s, t, len, step, longest, m, n, sum, first);
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 140, n = argc > 2 ? atoi(argv[2]) : 77, found;
    unsigned char *s, *t, *step, *steps = (unsigned char *)malloc(m * n);
    int *len, *longest;
    cudaMallocManaged(&s, m);
    cudaMallocManaged(&t, n);
    for (int k = 0; k < m; k++) s[k] = k * k / 3 % 4;
    for (int k = 0; k < n; k++) t[k] = k * k / 5 % 4;
    cudaMalloc(&len, m * n * sizeof(int));
    cudaMalloc(&step, m * n);
    cudaMalloc(&longest, sizeof(int));
    run(s, t, len, step, longest, m, n);
    cudaMemcpy(&found, longest, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(steps, step, m * n, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int k = 0; k < m * n; k++) sum += steps[k];
    printf("longest %d, %d pairs\n", found, sum);
    return 0;
}
