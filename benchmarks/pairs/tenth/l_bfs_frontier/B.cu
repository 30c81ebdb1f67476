/* breadth first search over a CSR graph, level by level */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define SAFE(c) if ((c) != cudaSuccess) { printf("cuda failed line %d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); exit(1); }

typedef struct { int n, m; int *rowptr; int *col; } graph_t;

static unsigned int st = 77u;
static unsigned int rnd(void) { st ^= st << 13; st ^= st >> 17; st ^= st << 5; return st; }

/* ring with random chords, undirected */
static graph_t make_graph(int n, int chords)
{
    graph_t g;
    int e = n + chords, i, *src, *dst, *pos;
    src = (int *)malloc(e * sizeof(int));
    dst = (int *)malloc(e * sizeof(int));
    for (i = 0; i < n; i++) { src[i] = i; dst[i] = (i + 1) % n; }
    for (i = n; i < e; i++) { src[i] = rnd() % n; dst[i] = rnd() % n; }
    g.n = n; g.m = 2 * e;
    g.rowptr = (int *)calloc(n + 1, sizeof(int));
    g.col = (int *)malloc(g.m * sizeof(int));
    for (i = 0; i < e; i++) { g.rowptr[src[i] + 1]++; g.rowptr[dst[i] + 1]++; }
    for (i = 0; i < n; i++) g.rowptr[i + 1] += g.rowptr[i];
    pos = (int *)malloc(n * sizeof(int));
    for (i = 0; i < n; i++) pos[i] = g.rowptr[i];
    for (i = 0; i < e; i++) { g.col[pos[src[i]]++] = dst[i]; g.col[pos[dst[i]]++] = src[i]; }
    free(src); free(dst); free(pos);
    return g;
}

/* only the vertices of the current frontier are touched; new ones go to the next queue */
__global__ void bfs_expand(const int *__restrict__ rowptr, const int *__restrict__ col, int *level, int cur,
                           const int *__restrict__ frontier, int nf, int *next, int *nnext)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= nf) return;
    int v = frontier[t];
    int end = rowptr[v + 1];
    for (int e = rowptr[v]; e < end; e++) {
        int u = col[e];
        if (level[u] < 0) {            /* plain test first, a CAS on every edge is slow */
            level[u] = cur + 1;
            next[atomicAdd(nnext, 1)] = u;
        }
    }
}

int main(void)
{
    graph_t g = make_graph(40000, 30000);
    int *d_row, *d_col, *d_level, *d_q[2], *d_cnt, *swp;
    int *level = (int *)malloc(g.n * sizeof(int));
    int source = 17, cur = 0, reached = 1, nf = 1, i;
    long long sum = 0;

    SAFE(cudaMalloc((void **)&d_row, (g.n + 1) * sizeof(int)));
    SAFE(cudaMalloc((void **)&d_col, g.m * sizeof(int)));
    SAFE(cudaMalloc((void **)&d_level, g.n * sizeof(int)));
    SAFE(cudaMalloc((void **)&d_q[0], g.n * sizeof(int)));
    SAFE(cudaMalloc((void **)&d_q[1], g.n * sizeof(int)));
    SAFE(cudaMalloc((void **)&d_cnt, sizeof(int)));
    SAFE(cudaMemcpy(d_row, g.rowptr, (g.n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(d_col, g.col, g.m * sizeof(int), cudaMemcpyHostToDevice));

    for (i = 0; i < g.n; i++) level[i] = -1;
    level[source] = 0;
    SAFE(cudaMemcpy(d_level, level, g.n * sizeof(int), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(d_q[0], &source, sizeof(int), cudaMemcpyHostToDevice));

    while (nf > 0) {
        SAFE(cudaMemset(d_cnt, 0, sizeof(int)));
        bfs_expand<<<(nf + 127) / 128, 128>>>(d_row, d_col, d_level, cur, d_q[0], nf, d_q[1], d_cnt);
        SAFE(cudaGetLastError());
        SAFE(cudaMemcpy(&nf, d_cnt, sizeof(int), cudaMemcpyDeviceToHost));
        reached += nf;
        swp = d_q[0]; d_q[0] = d_q[1]; d_q[1] = swp;
        cur++;
    }

    SAFE(cudaMemcpy(level, d_level, g.n * sizeof(int), cudaMemcpyDeviceToHost));
    for (i = 0; i < g.n; i++) sum += (long long)level[i] * (i % 13 + 1);
    printf("reached %d of %d vertices, depth %d, checksum %lld\n", reached, g.n, cur - 1, sum);
    cudaFree(d_row); cudaFree(d_col); cudaFree(d_level); cudaFree(d_q[0]); cudaFree(d_q[1]); cudaFree(d_cnt);
    free(level); free(g.rowptr); free(g.col);
    return 0;
}
