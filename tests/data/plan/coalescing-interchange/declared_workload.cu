// kernel=halve line=16 finding=KO101
#include <cstdio>
#include <vector>


/* kernelopt
[workload.halve]
args   = { a = "randn(rows*cols)", rows = "rows", cols = "cols" }
grid   = ["ceil(rows/16)", "ceil(cols/16)"]
block  = [16, 16]
shapes = [{ rows = 100, cols = 300 }]
*/
extern "C" __global__ void halve(double *a, int rows, int cols) {
    int i = threadIdx.x + blockIdx.x * 16;
    int j = threadIdx.y + blockIdx.y * 16;
    if (i < rows && j < cols) a[i * cols + j] *= 0.5;
}

int main() {
    const int rows = 33, cols = 47, count = rows * cols;
    std::vector<double> h(count), r(count);
    for (int i = 0; i < count; i++) h[i] = i;
    double *a;
    cudaMalloc(&a, count * sizeof(double));
    cudaMemcpy(a, h.data(), count * sizeof(double), cudaMemcpyHostToDevice);
    dim3 grid{(rows + 15) / 16, (cols + 15) / 16}, block{16, 16};
    halve<<<grid, block>>>(a, rows, cols);
    cudaMemcpy(r.data(), a, count * sizeof(double), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < count; i++) bad += r[i] != h[i] * 0.5;
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
