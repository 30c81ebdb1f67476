#include <cstdio>
#include <cstdlib>
#include <vector>
struct Csr { int rows; const int *ptr, *col; const double *val; };
template <typename T> __global__ void spmv(Csr a, const T *x, T *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < a.rows) { T s = 0; for (int k = a.ptr[r]; k < a.ptr[r + 1]; ++k) s += a.val[k] * x[a.col[k]]; y[r] = s; }
}
int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 1000000, reps = 30;
    std::vector<int> ptr(1), col; std::vector<double> val, x(rows), y(rows);
    for (int r = 0; r < rows; r++) { int len = 1 + r * 7 % 13; for (int k = 0; k < len; k++) { col.push_back((r + k * 31) % rows); val.push_back(1.0 / (1 + k)); } ptr.push_back(col.size()); x[r] = r % 10; }
    int *dp, *dc; double *dv, *dx, *dy;
    cudaMalloc(&dp, ptr.size() * 4); cudaMalloc(&dc, col.size() * 4); cudaMalloc(&dv, val.size() * 8); cudaMalloc(&dx, rows * 8); cudaMalloc(&dy, rows * 8);
    cudaMemcpy(dp, ptr.data(), ptr.size() * 4, cudaMemcpyHostToDevice); cudaMemcpy(dc, col.data(), col.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), val.size() * 8, cudaMemcpyHostToDevice); cudaMemcpy(dx, x.data(), rows * 8, cudaMemcpyHostToDevice);
    for (int i = 0; i < reps; i++) spmv<double><<<(rows + 255) / 256, 256>>>(Csr{rows, dp, dc, dv}, dx, dy);
    cudaMemcpy(y.data(), dy, rows * 8, cudaMemcpyDeviceToHost); printf("%f\n", y[rows - 1]);
}
