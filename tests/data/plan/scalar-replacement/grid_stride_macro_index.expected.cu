// kernel=gemv line=14 finding=KO107
#include <cstdio>
#include <cstdlib>

#define IDX(r, c, ld) ((r) * (ld) + (c))
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

struct Problem { float* a; float* x; float* y; int m; int n; };

__global__ void gemv(float* a, float* x, float* y, int m, int n) {
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < m; row += gridDim.x * blockDim.x) {
        float y_acc = n > 0 ? y[row] : 0.0f;
        for (int col = 0; col < n; col++) {
            float product = a[IDX(row, col, n)] * x[col];
            y_acc += product;
        }
        if (n > 0) y[row] = y_acc;
    }
}

static void run(const Problem& p) {
    gemv<<<2, 32>>>(p.a, p.x, p.y, p.m, p.n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main() {
    Problem p;
    p.m = 150;
    p.n = 20;
    CHECK(cudaMallocManaged(&p.a, p.m * p.n * sizeof(float)));
    CHECK(cudaMallocManaged(&p.x, p.n * sizeof(float)));
    CHECK(cudaMallocManaged(&p.y, p.m * sizeof(float)));
    for (int i = 0; i < p.m * p.n; i++) p.a[i] = i % 3;
    for (int i = 0; i < p.n; i++) p.x[i] = 2;
    for (int i = 0; i < p.m; i++) p.y[i] = 1;
    run(p);
    for (int r = 0; r < p.m; r++) {
        float want = 1;
        for (int c = 0; c < p.n; c++) want += p.a[IDX(r, c, p.n)] * p.x[c];
        if (want != p.y[r]) { puts("FAIL"); return 1; }
    }
    puts("PASS");
    return 0;
}
