// kernel=flip line=17 finding=KO101
#include <cstdio>
#include <vector>


#define TILE_DIM 16

__device__ double damp(double v) { return v * 0.5; }

__global__ void flip(double* __restrict__ dst, const double* __restrict__ src, unsigned rows, unsigned cols)
{
  const unsigned col = blockIdx.x*TILE_DIM + threadIdx.x;
  const unsigned row = blockIdx.y*TILE_DIM + threadIdx.y;
  if (col >= cols || row >= rows) return;
  // damped on the way
  double v = damp(src[row*cols + col]);
  dst[col*rows + row] = v;
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<double> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i % 1000;
    double *in, *out;
    cudaMalloc(&in, h.size() * sizeof(*in));
    cudaMalloc(&out, h.size() * sizeof(*out));
    cudaMemcpy(in, h.data(), h.size() * sizeof(*in), cudaMemcpyHostToDevice);
    flip<<<dim3((cols + TILE_DIM - 1)/TILE_DIM, (rows + TILE_DIM - 1)/TILE_DIM), dim3(TILE_DIM, TILE_DIM)>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(*out), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != h[i * cols + j] * 0.5;
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
