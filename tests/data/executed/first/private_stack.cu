// A tree walk with a stack of its own in each thread, and an insertion sort in local memory.
#include <cstdio>
#include <cuda_runtime.h>

struct Node { int left, right; float key; };

__global__ void count_below(const Node *nodes, const float *q, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int stack[64], top = 0, found = 0;
    stack[top++] = 0;
    while (top > 0) {
        int id = stack[--top];
        if (nodes[id].key < q[i]) found++;
        if (nodes[id].left >= 0) stack[top++] = nodes[id].left;
        if (nodes[id].right >= 0 && nodes[id].key < q[i]) stack[top++] = nodes[id].right;
    }
    out[i] = found;
}

__global__ void median_of(const float *x, float *m, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float w[25];
    for (int k = 0; k < width; k++) {
        float v = x[(i + k) % n];
        int j = k - 1;
        while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }
        w[j + 1] = v;
    }
    m[i] = w[width / 2];
}

int main() {
    const int n = 2048, count = 255;
    Node hn[count];
    for (int i = 0; i < count; i++) { hn[i].left = 2 * i + 1 < count ? 2 * i + 1 : -1; hn[i].right = 2 * i + 2 < count ? 2 * i + 2 : -1; hn[i].key = (float)((i * 73) % 256); }
    float *hq = new float[n], *q, *m; int *o; Node *d;
    for (int i = 0; i < n; i++) hq[i] = (float)((i * 29) % 256);
    cudaMalloc(&d, sizeof(hn)); cudaMalloc(&q, n * 4); cudaMalloc(&m, n * 4); cudaMalloc(&o, n * 4);
    cudaMemcpy(d, hn, sizeof(hn), cudaMemcpyHostToDevice);
    cudaMemcpy(q, hq, n * 4, cudaMemcpyHostToDevice);
    count_below<<<n / 128, 128>>>(d, q, o, n);
    median_of<<<n / 128, 128>>>(q, m, n, 9);
    cudaMemcpy(hq, m, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", hq[5]);
    delete[] hq;
    return 0;
}
