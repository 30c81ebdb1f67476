// rgba -> grey, then Sobel on uchar, then brighten on uchar4
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void rgba_to_greyscale(const uchar4* const rgbaImage, unsigned char* const greyImage, int numRows, int numCols)
{
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= numCols || y >= numRows)
    return;
  uchar4 p = rgbaImage[y * numCols + x];
  greyImage[y * numCols + x] = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
}

__global__ void sobel(const unsigned char* grey, unsigned char* edge, int rows, int cols)
{
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x > 0 && y > 0 && x < cols - 1 && y < rows - 1) {
    int dx = (-1 * grey[(y - 1) * cols + (x - 1)]) + (-2 * grey[y * cols + (x - 1)]) + (-1 * grey[(y + 1) * cols + (x - 1)])
           + (     grey[(y - 1) * cols + (x + 1)]) + ( 2 * grey[y * cols + (x + 1)]) + (     grey[(y + 1) * cols + (x + 1)]);
    int dy = (     grey[(y - 1) * cols + (x - 1)]) + ( 2 * grey[(y - 1) * cols + x]) + (     grey[(y - 1) * cols + (x + 1)])
           + (-1 * grey[(y + 1) * cols + (x - 1)]) + (-2 * grey[(y + 1) * cols + x]) + (-1 * grey[(y + 1) * cols + (x + 1)]);
    edge[y * cols + x] = min(255, abs(dx) + abs(dy));
  }
}

__global__ void brighten(uchar4* img, int n, int amount)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    img[i].x = min(img[i].x + amount, 255);
    img[i].y = min(img[i].y + amount, 255);
    img[i].z = min(img[i].z + amount, 255);
  }
}

int main()
{
  const int rows = 131, cols = 243, n = rows * cols;
  std::vector<uchar4> img(n), img2(n);
  std::vector<unsigned char> grey(n), e(n, 0), ref(n, 0), g2(n);
  for (int i = 0; i < n; i++) img[i] = make_uchar4(i * 3, i / cols * 5, (i * i) >> 4, 255);
  for (int i = 0; i < n; i++) grey[i] = (img[i].x * 77 + img[i].y * 150 + img[i].z * 29) >> 8;
  for (int y = 1; y < rows - 1; y++)
    for (int x = 1; x < cols - 1; x++) {
      auto g = [&](int yy, int xx) { return (int)grey[(y + yy) * cols + x + xx]; };
      int dx = g(-1, 1) + 2 * g(0, 1) + g(1, 1) - g(-1, -1) - 2 * g(0, -1) - g(1, -1);
      int dy = g(-1, -1) + 2 * g(-1, 0) + g(-1, 1) - g(1, -1) - 2 * g(1, 0) - g(1, 1);
      int m = abs(dx) + abs(dy);
      ref[y * cols + x] = m > 255 ? 255 : m;
    }
  uchar4* di; unsigned char *dg, *de;
  cudaMalloc(&di, n * sizeof(uchar4)); cudaMalloc(&dg, n); cudaMalloc(&de, n);
  cudaMemset(de, 0, n);
  cudaMemcpy(di, img.data(), n * sizeof(uchar4), cudaMemcpyHostToDevice);
  const dim3 blockSize(24, 10), gridSize((cols + 23) / 24, (rows + 9) / 10);
  rgba_to_greyscale<<<gridSize, blockSize>>>(di, dg, rows, cols);
  sobel<<<gridSize, blockSize>>>(dg, de, rows, cols);
  brighten<<<17, 160>>>(di, n, 40);
  cudaMemcpy(g2.data(), dg, n, cudaMemcpyDeviceToHost);
  cudaMemcpy(e.data(), de, n, cudaMemcpyDeviceToHost);
  cudaMemcpy(img2.data(), di, n * sizeof(uchar4), cudaMemcpyDeviceToHost);
  bool ok = cudaGetLastError() == cudaSuccess && g2 == grey && e == ref;
  for (int i = 0; i < n; i++) {
    int r = img[i].x + 40, b = img[i].z + 40;
    if (img2[i].x != (r > 255 ? 255 : r) || img2[i].z != (b > 255 ? 255 : b) || img2[i].w != 255) ok = false;
  }
  printf("image_rgba %s\n", ok ? "PASS" : "FAIL");
  return !ok;
}
