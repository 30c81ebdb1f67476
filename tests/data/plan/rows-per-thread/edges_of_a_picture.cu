// kernel=edges line=14 finding=KO121
#include <stdio.h>
#include <stdlib.h>

// Sobel filter, border left as it is
__global__ void edges(const unsigned char *in, unsigned char *out, int width, int height)
{
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < 1 || row < 1 || col >= width - 1 || row >= height - 1)
    return;
  int gx = in[(row - 1) * width + col + 1] + 2 * in[row * width + col + 1] + in[(row + 1) * width + col + 1]
         - in[(row - 1) * width + col - 1] - 2 * in[row * width + col - 1] - in[(row + 1) * width + col - 1];
  int gy = in[(row + 1) * width + col - 1] + 2 * in[(row + 1) * width + col] + in[(row + 1) * width + col + 1]
         - in[(row - 1) * width + col - 1] - 2 * in[(row - 1) * width + col] - in[(row - 1) * width + col + 1];
  out[row * width + col] = min(255, abs(gx) + abs(gy));
}

int main(int argc, char **argv)
{
  int width = 101, height = 66, size = width * height;
  unsigned char *h = (unsigned char *)malloc(size), *in, *out;
  for (int i = 0; i < size; i++) h[i] = i * 7 % 251;
  cudaMalloc((void **)&in, size);
  cudaMalloc((void **)&out, size);
  cudaMemcpy(in, h, size, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, size);
  dim3 threads(16, 16);
  dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
  edges<<<blocks, threads>>>(in, out, width, height);
  cudaMemcpy(h, out, size, cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < size; i++) sum += h[i];
  printf("%ld\n", sum);
  cudaFree(in); cudaFree(out); free(h);
  return 0;
}
