// Edit distance along diagonals, an all-pairs shortest path step, and a rank sort.
#include <cstdio>
#include <cuda_runtime.h>
#define LEN 96

__global__ void edit_distance(const char *a, const char *b, int *result, int la, int lb) {
    __shared__ int d[3][LEN + 1];
    const char *s = a + blockIdx.x * LEN, *t = b + blockIdx.x * LEN;
    int i = threadIdx.x;
    for (int diag = 0; diag <= la + lb; diag++) {
        int cur = diag % 3, p1 = (diag + 2) % 3, p2 = (diag + 1) % 3, j = diag - i;
        if (i <= la && j >= 0 && j <= lb) {
            if (i == 0) d[cur][i] = j;
            else if (j == 0) d[cur][i] = i;
            else {
                int sub = d[p2][i - 1] + (s[i - 1] != t[j - 1]);
                int del = d[p1][i - 1] + 1, ins = d[p1][i] + 1;
                d[cur][i] = min(sub, min(del, ins));
            }
        }
        __syncthreads();
    }
    if (i == la) result[blockIdx.x] = d[(la + lb) % 3][la];
}

__global__ void floyd_step(int *dist, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j >= n) return;
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j]) dist[i * n + j] = through;
}

__global__ void rank_sort(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rank = 0, mine = in[i];
    for (int j = 0; j < n; j++)
        if (in[j] < mine || (in[j] == mine && j < i)) rank++;
    out[rank] = mine;
}

int main() {
    const int pairs = 24, n = 120, m = 700;
    char *hs = new char[pairs * LEN * 2];
    for (int i = 0; i < pairs * LEN * 2; i++) hs[i] = 'a' + (char)((i * 2654435761u) >> 30);
    int *hd = new int[n * n];
    for (int i = 0; i < n * n; i++) hd[i] = 1 + (int)((i * 2654435761u) >> 24);
    char *s; int *r, *d, *o;
    cudaMalloc(&s, pairs * LEN * 2); cudaMalloc(&r, pairs * 4); cudaMalloc(&d, n * n * 4); cudaMalloc(&o, m * 4);
    cudaMemcpy(s, hs, pairs * LEN * 2, cudaMemcpyHostToDevice); cudaMemcpy(d, hd, n * n * 4, cudaMemcpyHostToDevice);
    edit_distance<<<pairs, LEN + 1>>>(s, s + pairs * LEN, r, LEN, LEN - 10);
    for (int k = 0; k < 2; k++) floyd_step<<<dim3((n + 63) / 64, n), 64>>>(d, n, k);
    rank_sort<<<(m + 127) / 128, 128>>>(d, o, m);
    cudaMemcpy(hd, r, pairs * 4, cudaMemcpyDeviceToHost);
    printf("%d\n", hd[0]);
    delete[] hs; delete[] hd;
    return 0;
}
