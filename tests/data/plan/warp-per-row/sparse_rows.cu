// kernel=spmv_csr line=11 finding=KO101
#include <cstdio>
#include <vector>

// y = y0 + A x, A in CSR
__global__ void spmv_csr(int rows, const int* row_ptr, const int* col, const double* val, const double* x, const double* y0, double* y)
{
    const int r = threadIdx.x + blockDim.x * blockIdx.x;
    if (r >= rows) { return; }
    double acc = y0[r];
    for (int k = row_ptr[r]; k < row_ptr[r + 1]; k++)
        acc += val[k] * x[col[k]];
    y[r] = acc;
}

static void launch(int rows, const int* p, const int* c, const double* v, const double* x, const double* y0, double* y, int blocks)
{
    spmv_csr<<<blocks, 192>>>(rows, p, c, v, x, y0, y);
}

int main()
{
    const int rows = 400;
    std::vector<int> ptr(1, 0), col;
    std::vector<double> val, x(rows), y0(rows);
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < (r * 13) % 90; ++k) { col.push_back((r * 31 + k * 17) % rows); val.push_back(0.01 * (k % 7)); }
        ptr.push_back((int)col.size());
        x[r] = r % 5; y0[r] = r % 3;
    }
    int *dp, *dc; double *dv, *dx, *dy, *d0;
    cudaMalloc(&dp, ptr.size() * 4); cudaMalloc(&dc, col.size() * 4);
    cudaMalloc(&dv, val.size() * 8); cudaMalloc(&dx, rows * 8); cudaMalloc(&dy, rows * 8); cudaMalloc(&d0, rows * 8);
    cudaMemcpy(dp, ptr.data(), ptr.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), col.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), val.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), rows * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(d0, y0.data(), rows * 8, cudaMemcpyHostToDevice);
    launch(rows, dp, dc, dv, dx, d0, dy, (rows + 191) / 192);
    std::vector<double> y(rows);
    cudaMemcpy(y.data(), dy, rows * 8, cudaMemcpyDeviceToHost);
    double s = 0;
    for (double v : y) s += v;
    printf("%.6f\n", s);
}
