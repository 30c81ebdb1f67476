// kernel=fill_diagonal line=80 finding=KO125
/*
 * Global alignment of two DNA sequences (Needleman-Wunsch).
 * The score matrix is filled one anti-diagonal per launch; the host walks back through it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATCH     2
#define MISMATCH (-1)
#define GAP      (-2)

#define CU(stmt)                                                      \
    do {                                                              \
        cudaError_t cu_err = stmt;                                    \
        if (cu_err != cudaSuccess) {                                  \
            fprintf(stderr, "nw: %s\n", cudaGetErrorString(cu_err));  \
            exit(1);                                                  \
        }                                                             \
    } while (0)

#define TILE 32

/* cells (i, d - i) of diagonal d, 1 <= i, j <= n */
// Each block fills a tile of the table, and a launch the diagonal `d` of tiles.
__global__ void fill_diagonal(int *score, const char *a, const char *b, int n, int d, int first)
{
    __shared__ int tile[TILE + 1][TILE + 2];
    int w = n + 1;
    int t = threadIdx.x;
    int i0 = 1 + (first + blockIdx.x) * TILE;
    int j0 = 1 + (d - first - blockIdx.x) * TILE;
    int i = i0 + t;

    // what the tiles above and to the left have stored next to this one
    if (i <= n)
        tile[t + 1][0] = score[i * w + j0 - 1];
    if (j0 + t <= n)
        tile[0][t + 1] = score[(i0 - 1) * w + j0 + t];
    if (t == 0)
        tile[0][0] = score[(i0 - 1) * w + j0 - 1];
    __syncthreads();

    for (int step = 0; step < 2 * TILE - 1; step++) {
        int c = step - t;
        int j = j0 + c;
        if (c >= 0 && c < TILE && i <= n && j <= n) {
            int diag = tile[t][c] + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
            int up   = tile[t][c + 1] + GAP;
            int left = tile[t + 1][c] + GAP;
            int best = diag > up ? diag : up;
            tile[t + 1][c + 1] = best > left ? best : left;
        }
        __syncthreads();
    }

    if (j0 + t <= n)
        for (int r = 0; r < TILE && i0 + r <= n; r++)
            score[(i0 + r) * w + j0 + t] = tile[r + 1][t + 1];
}

static char *random_dna(int n, unsigned seed)
{
    char *s = (char *)malloc(n);
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        s[i] = "ACGT"[(seed >> 16) & 3];
    }
    return s;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int w = n + 1;
    size_t bytes = (size_t)w * w * sizeof(int);

    char *a = random_dna(n, 17);
    char *b = random_dna(n, 17);
    for (int i = 0; i < n; i += 9)    /* b is a with mutations and a shift */
        b[i] = "ACGT"[i & 3];
    memmove(b + n / 2, b + n / 2 + 1, n - n / 2 - 1);

    int *score = (int *)calloc((size_t)w * w, sizeof(int));
    for (int i = 0; i <= n; i++) {
        score[i] = i * GAP;
        score[(size_t)i * w] = i * GAP;
    }

    int *d_score;
    char *d_a, *d_b;
    CU(cudaMalloc(&d_score, bytes));
    CU(cudaMalloc(&d_a, n));
    CU(cudaMalloc(&d_b, n));
    CU(cudaMemcpy(d_score, score, bytes, cudaMemcpyHostToDevice));
    CU(cudaMemcpy(d_a, a, n, cudaMemcpyHostToDevice));
    CU(cudaMemcpy(d_b, b, n, cudaMemcpyHostToDevice));

    int tiles = (n + TILE - 1) / TILE;
    for (int d = 0; d < 2 * tiles - 1; d++) {
        int first = d < tiles ? 0 : d - tiles + 1;
        int last = d < tiles ? d : tiles - 1;
        fill_diagonal<<<last - first + 1, TILE>>>(d_score, d_a, d_b, n, d, first);
    }
    CU(cudaGetLastError());
    CU(cudaMemcpy(score, d_score, bytes, cudaMemcpyDeviceToHost));

    int i = n, j = n, length = 0, matches = 0;
    while (i > 0 && j > 0) {
        int s = score[(size_t)i * w + j];
        int pair = a[i - 1] == b[j - 1] ? MATCH : MISMATCH;
        if (s == score[(size_t)(i - 1) * w + j - 1] + pair) {
            matches += pair == MATCH;
            i--;
            j--;
        } else if (s == score[(size_t)(i - 1) * w + j] + GAP) {
            i--;
        } else {
            j--;
        }
        length++;
    }
    length += i + j;
    printf("score %d, alignment of %d columns with %d matches\n", score[(size_t)n * w + n], length, matches);

    CU(cudaFree(d_score));
    CU(cudaFree(d_a));
    CU(cudaFree(d_b));
    free(score);
    free(a);
    free(b);
    return 0;
}
