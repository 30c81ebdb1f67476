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

/* cells (i, d - i) of diagonal d, 1 <= i, j <= n */
__global__ void fill_diagonal(int *score, const char *a, const char *b, int n, int d, int first)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    int j = d - i;
    if (i > n || j < 1)
        return;

    int w = n + 1;
    int diag = score[(i - 1) * w + (j - 1)] + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
    int up   = score[(i - 1) * w + j] + GAP;
    int left = score[i * w + (j - 1)] + GAP;
    int best = diag > up ? diag : up;
    score[i * w + j] = best > left ? best : left;
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

    for (int d = 2; d <= 2 * n; d++) {
        int first = d - n > 1 ? d - n : 1;
        int last = d - 1 < n ? d - 1 : n;
        int cells = last - first + 1;
        fill_diagonal<<<(cells + 127) / 128, 128>>>(d_score, d_a, d_b, n, d, first);
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
