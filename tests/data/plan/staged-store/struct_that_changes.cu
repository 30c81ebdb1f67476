// kernel=turned line=11 finding=KO101
#include <cstdio>
#include <cstdlib>
typedef struct { int cols; float gain; int rows; } Shape;
__global__ void turned(const float *src, float *dst, Shape s)
{
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (s.rows > 64) s.rows -= 1;
  if (s.cols > 64) s.cols -= 1;
  if (c >= s.cols || r >= s.rows) return;
  dst[c * s.rows + r] = s.gain * src[r * s.cols + c];
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
