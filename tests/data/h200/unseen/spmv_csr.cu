// y = A x, CSR. scalar (thread per row) and vector (warp per row) kernels.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void spmv_scalar(const int num_rows, const int *ptr, const int *indices, const double *data, const double *x, double *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        double dot = 0;
        int row_start = ptr[row];
        int row_end   = ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++)
            dot += data[jj] * x[indices[jj]];
        y[row] = dot;
    }
}

__global__ void spmv_vector(const int num_rows, const int *__restrict__ ptr, const int *__restrict__ indices,
                            const double *__restrict__ data, const double *__restrict__ x, double *__restrict__ y)
{
    const int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    const int warp_id = thread_id / 32;
    const int lane = thread_id & (32 - 1);
    if (warp_id >= num_rows) return;

    const int end = ptr[warp_id + 1];
    double sum = 0.0;
    for (int jj = ptr[warp_id] + lane; jj < end; jj += 32)
        sum += data[jj] * __ldg(x + indices[jj]);

    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) y[warp_id] = sum;
}

int main()
{
    const int rows = 2501, cols = 3000;
    std::vector<int> ptr(1, 0), idx;
    std::vector<double> val, x(cols), y1(rows), y2(rows), ref(rows, 0.0);
    unsigned s = 99;
    for (int c = 0; c < cols; c++) x[c] = 1.0 + c % 10;
    for (int r = 0; r < rows; r++) {
        s = s * 1664525u + 1013904223u;
        int nnz = (s >> 20) % 24;
        if (r % 100 == 3) nnz = 150;
        if (r % 50 == 7) nnz = 0;
        for (int k = 0; k < nnz; k++) {
            s = s * 1664525u + 1013904223u;
            int c = (s >> 10) % cols;
            double v = (int)(s >> 28) - 7;
            idx.push_back(c); val.push_back(v);
            ref[r] += v * x[c];
        }
        ptr.push_back((int)idx.size());
    }
    int *dp, *di; double *dv, *dx, *dy;
    cudaMalloc(&dp, ptr.size() * sizeof(int));
    cudaMalloc(&di, idx.size() * sizeof(int));
    cudaMalloc(&dv, val.size() * sizeof(double));
    cudaMalloc(&dx, cols * sizeof(double));
    cudaMalloc(&dy, 2 * rows * sizeof(double));
    cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(di, idx.data(), idx.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), val.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), cols * sizeof(double), cudaMemcpyHostToDevice);
    spmv_scalar<<<(rows + 127) / 128, 128>>>(rows, dp, di, dv, dx, dy);
    spmv_vector<<<(rows * 32 + 255) / 256, 256>>>(rows, dp, di, dv, dx, dy + rows);
    cudaMemcpy(y1.data(), dy, rows * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(y2.data(), dy + rows, rows * sizeof(double), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int r = 0; r < rows; r++)
        if (fabs(y1[r] - ref[r]) > 1e-9 || fabs(y2[r] - ref[r]) > 1e-9) ok = false;
    printf("spmv_csr %s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
