// kernel=clampPixels line=17 finding=KO101
#include <cstdio>
#include <vector>

// Every thread clamps its own stretch of the image.
__global__ void clampPixels(int* pixels, int total, int low, int high)
{
  const int worker = threadIdx.x + blockIdx.x * blockDim.x;
  const int workers = blockDim.x * gridDim.x;
  const int perWorker = (total + workers - 1) / workers;
  const int from = worker * perWorker;
  if (from >= total) return;
  int to = from + perWorker;
  if (to > total) to = total;
  for (int p = from; p < to; ++p)
  {
    int v = pixels[p];
    if (v < low) v = low;
    if (v > high) v = high;
    pixels[p] = v;
  }
}

int main()
{
  const int total = 9001;
  std::vector<int> h(total), r(total);
  for (int i = 0; i < total; ++i) h[i] = i % 300 - 20;
  int* d;
  cudaMalloc(&d, total * sizeof(int));
  cudaMemcpy(d, h.data(), total * sizeof(int), cudaMemcpyHostToDevice);
  int blocks = total > 5000 ? 6 : 3;
  clampPixels<<<blocks, 128>>>(d, total, 0, 255);
  cudaMemcpy(r.data(), d, total * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < total; ++i) bad += r[i] != (h[i] < 0 ? 0 : h[i] > 255 ? 255 : h[i]);
  std::printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
