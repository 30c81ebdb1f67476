// kernel=turned line=9 finding=KO101
#include <cstdio>
#include <cstdlib>
typedef struct { int cols; float gain; int rows; } Shape;
__global__ void turned(const float *src, float *dst, const Shape s)
{
  __shared__ float tile[16][16 + 2];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (c < s.cols && r < s.rows)
    tile[threadIdx.y][threadIdx.x] = s.gain * src[r * s.cols + c];
  __syncthreads();
  int c_out = blockIdx.x * 16 + threadIdx.y;
  int r_out = blockIdx.y * 16 + threadIdx.x;
  if (c_out < s.cols && r_out < s.rows)
    dst[c_out * s.rows + r_out] = tile[threadIdx.x][threadIdx.y];
}
int main(int argc, char **argv)
{
  Shape s; s.cols = argc > 1 ? atoi(argv[1]) : 500; s.rows = argc > 2 ? atoi(argv[2]) : 333; s.gain = 0.5f;
  size_t n = (size_t)s.cols * s.rows;
  float *h = new float[n], *x, *y;
  for (size_t i = 0; i < n; i++) h[i] = (i * 7 % 101) / 8.f;
  cudaMalloc((void **)&x, n * sizeof(float)); cudaMalloc((void **)&y, n * sizeof(float));
  cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
  dim3 b(16, 16), g((s.cols + 15) / 16, (s.rows + 15) / 16);
  turned<<<g, b>>>(x, y, s);
  cudaMemcpy(h, y, n * sizeof(float), cudaMemcpyDeviceToHost);
  double t = 0; for (size_t i = 0; i < n; i++) t += h[i] * (i % 13);
  printf("%.3f\n", t);
}
