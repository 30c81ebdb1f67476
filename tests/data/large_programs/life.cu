#include <iostream>
#include <string>
typedef unsigned char cell;
__global__ void generation(const cell *now, cell *next, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= n) return;
    int alive = 0;
    for (int dr = -1; dr <= 1; dr++) for (int dc = -1; dc <= 1; dc++)
        if (dr || dc) alive += now[((r + dr + n) % n) * n + (c + dc + n) % n];
    next[r * n + c] = alive == 3 || (alive == 2 && now[r * n + c]);
}
int main(int argc, char **argv) {
    int n = argc > 1 ? std::stoi(argv[1]) : 2048, gens = argc > 2 ? std::stoi(argv[2]) : 20000;
    cell *a, *b, *h = new cell[n * n];
    unsigned s = 12345; for (int i = 0; i < n * n; i++) { s = s * 1664525u + 1013904223u; h[i] = (s >> 24) < 80; }
    cudaMalloc(&a, n * n); cudaMalloc(&b, n * n); cudaMemcpy(a, h, n * n, cudaMemcpyHostToDevice);
    for (int g = 0; g < gens; g++) { generation<<<dim3((n + 127) / 128, n), 128>>>(a, b, n); std::swap(a, b); }
    cudaMemcpy(h, a, n * n, cudaMemcpyDeviceToHost);
    int sum = 0; for (int i = 0; i < n * n; i++) sum += h[i];
    std::cout << sum << " alive\n";
}
