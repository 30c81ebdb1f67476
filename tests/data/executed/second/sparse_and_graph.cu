// A sparse product in two layouts and one step of a breadth-first search.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void spmv_rows(const int *start, const int *col, const float *val, const float *x, float *y, int rows) {
    int r = blockDim.x * blockIdx.x + threadIdx.x;
    if (r < rows) {
        float dot = 0;
        int end = start[r + 1];
        for (int k = start[r]; k < end; k++)
            dot += val[k] * x[col[k]];
        y[r] += dot;
    }
}

__global__ void spmv_warp(const int *start, const int *col, const float *val, const float *x, float *y, int rows) {
    int warp = (blockDim.x * blockIdx.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= rows) return;
    float dot = 0;
    for (int k = start[warp] + lane; k < start[warp + 1]; k += 32)
        dot += val[k] * x[col[k]];
    for (int o = 16; o > 0; o /= 2)
        dot += __shfl_down_sync(0xffffffff, dot, o);
    if (lane == 0) y[warp] += dot;
}

__global__ void bfs_step(const int *start, const int *edges, int *level, int depth, int *changed, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && level[v] == depth) {
        for (int e = start[v]; e < start[v + 1]; ++e) {
            int u = edges[e];
            if (level[u] < 0) {
                level[u] = depth + 1;
                *changed = 1;
            }
        }
    }
}

int main() {
    const int n = 3000;
    std::vector<int> start(n + 1), col;
    srand(7);
    for (int i = 0; i < n; i++) {
        start[i] = (int)col.size();
        int d = i % 50 == 0 ? 90 : rand() % 12;
        for (int k = 0; k < d; k++) col.push_back(rand() % n);
    }
    start[n] = (int)col.size();
    std::vector<float> val(col.size(), 0.5f), x(n, 2.0f);
    std::vector<int> level(n, -1);
    for (int i = 0; i < n; i += 3) level[i] = 0;
    int *ds, *dc, *dl, *changed; float *dv, *dx, *dy;
    cudaMalloc(&ds, (n + 1) * 4); cudaMalloc(&dc, col.size() * 4); cudaMalloc(&dl, n * 4); cudaMalloc(&changed, 4);
    cudaMalloc(&dv, col.size() * 4); cudaMalloc(&dx, n * 4); cudaMalloc(&dy, n * 4);
    cudaMemcpy(ds, start.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), col.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), col.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dl, level.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, n * 4); cudaMemset(changed, 0, 4);
    spmv_rows<<<(n + 255) / 256, 256>>>(ds, dc, dv, dx, dy, n);
    spmv_warp<<<(n * 32 + 127) / 128, 128>>>(ds, dc, dv, dx, dy, n);
    bfs_step<<<(n + 127) / 128, 128>>>(ds, dc, dl, 0, changed, n);
    cudaMemcpy(x.data(), dy, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", x[9]);
    return 0;
}
