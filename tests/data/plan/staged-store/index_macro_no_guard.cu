// kernel=relayout line=15 finding=KO101
#include <cstdio>
#include <vector>


#define AT(row, col, width) ((row) * (width) + (col))

struct Pixel { float r, g; };

__global__ void relayout(Pixel *planar, const Pixel *image, int n) {
  const int i = blockIdx.y * 16 + threadIdx.y;
  const int j = blockIdx.x * 16 + threadIdx.x;
  Pixel p = image[AT(i, j, n)];
  p.r += 1.0f;
  planar[AT(j, i, n)] = p;
}

int main() {
  const int n = 64;
  std::vector<Pixel> h(n * n), r(n * n);
  for (int i = 0; i < n * n; i++) h[i] = Pixel{float(i), float(-i)};
  Pixel *in, *out;
  cudaMalloc(&in, n * n * sizeof(Pixel));
  cudaMalloc(&out, n * n * sizeof(Pixel));
  cudaMemcpy(in, h.data(), n * n * sizeof(Pixel), cudaMemcpyHostToDevice);
  const dim3 threads(16, 16);
  relayout<<<dim3(n / 16, n / 16), threads>>>(out, in, n);
  cudaMemcpy(r.data(), out, n * n * sizeof(Pixel), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      bad += r[j * n + i].r != h[i * n + j].r + 1.0f || r[j * n + i].g != h[i * n + j].g;
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
