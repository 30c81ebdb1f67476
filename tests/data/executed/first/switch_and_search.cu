// An opcode interpreter, a binary search, and an early exit by break.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void interpret(const int *code, int len, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = x[i];
    for (int pc = 0; pc < len; pc++) {
        switch ((code[pc] + i / 16) % 6) {
            case 0: acc += 1.5f; break;
            case 1: acc *= 0.75f; break;
            case 2: acc = acc * acc; break;
            case 3: acc = fabsf(acc - 2.0f); break;
            case 4: acc = 1.0f / (1.0f + acc); break;
            default: acc = -acc; break;
        }
    }
    y[i] = acc;
}

__global__ void lower_bound(const int *sorted, int m, const int *keys, int *pos, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int lo = 0, hi = m;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (sorted[mid] < keys[i]) lo = mid + 1;
        else hi = mid;
    }
    pos[i] = lo;
}

__global__ void first_match(const int *rows, int width, int wanted, int *where, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    int at = -1;
    for (int c = 0; c < width; c++) {
        if (rows[r * width + c] == wanted) {
            at = c;
            break;
        }
    }
    where[r] = at;
}

int main() {
    const int n = 4096, m = 1000, len = 24, width = 48;
    int *h = new int[n * width];
    for (int i = 0; i < n * width; i++) h[i] = (int)((i * 48271u) % 97u);
    int *code, *sorted, *keys, *pos, *rows; float *x;
    cudaMalloc(&code, len * 4); cudaMalloc(&sorted, m * 4); cudaMalloc(&keys, n * 4); cudaMalloc(&pos, n * 4); cudaMalloc(&rows, n * width * 4); cudaMalloc(&x, n * 4);
    cudaMemcpy(code, h, len * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(rows, h, n * width * 4, cudaMemcpyHostToDevice);
    int *s = new int[m];
    for (int i = 0; i < m; i++) s[i] = i * 3;
    cudaMemcpy(sorted, s, m * 4, cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) h[i] = (int)((i * 48271u) % 3000u);
    cudaMemcpy(keys, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemset(x, 0, n * 4);
    interpret<<<n / 128, 128>>>(code, len, x, x, n);
    lower_bound<<<n / 128, 128>>>(sorted, m, keys, pos, n);
    first_match<<<n / 128, 128>>>(rows, width, 5, pos, n);
    cudaMemcpy(h, pos, n * 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h[3]);
    delete[] h; delete[] s;
    return 0;
}
