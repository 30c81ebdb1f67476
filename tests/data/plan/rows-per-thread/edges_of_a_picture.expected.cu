// kernel=edges line=14 finding=KO121
#include <stdio.h>
#include <stdlib.h>

// Sobel filter, border left as it is
__global__ void edges(const unsigned char *in, unsigned char *out, int width, int height)
{
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int first_row = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (col < 1 || col >= width - 1)
    return;
  if (first_row >= 1 && first_row + 3 < height - 1) {
    unsigned char result[4];
    #pragma unroll
    for (int r = 0; r < 4; r++) {
      const int row = first_row + r;
      int gx = in[(row - 1) * width + col + 1] + 2 * in[row * width + col + 1] + in[(row + 1) * width + col + 1]
             - in[(row - 1) * width + col - 1] - 2 * in[row * width + col - 1] - in[(row + 1) * width + col - 1];
      int gy = in[(row + 1) * width + col - 1] + 2 * in[(row + 1) * width + col] + in[(row + 1) * width + col + 1]
             - in[(row - 1) * width + col - 1] - 2 * in[(row - 1) * width + col] - in[(row - 1) * width + col + 1];
      result[r] = min(255, abs(gx) + abs(gy));
    }
    #pragma unroll
    for (int r = 0; r < 4; r++) {
      const int row = first_row + r;
      out[row * width + col] = result[r];
    }
  } else {
    for (int r = 0; r < 4; r++) {
      const int row = first_row + r;
      if (row >= 1 && row < height - 1) {
        int gx = in[(row - 1) * width + col + 1] + 2 * in[row * width + col + 1] + in[(row + 1) * width + col + 1]
               - in[(row - 1) * width + col - 1] - 2 * in[row * width + col - 1] - in[(row + 1) * width + col - 1];
        int gy = in[(row + 1) * width + col - 1] + 2 * in[(row + 1) * width + col] + in[(row + 1) * width + col + 1]
               - in[(row - 1) * width + col - 1] - 2 * in[(row - 1) * width + col] - in[(row - 1) * width + col + 1];
        out[row * width + col] = min(255, abs(gx) + abs(gy));
      }
    }
  }
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
  dim3 blocks((width + threads.x - 1) / threads.x, (height + 4 * threads.y - 1) / (4 * threads.y));
  edges<<<blocks, threads>>>(in, out, width, height);
  cudaMemcpy(h, out, size, cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < size; i++) sum += h[i];
  printf("%ld\n", sum);
  cudaFree(in); cudaFree(out); free(h);
  return 0;
}
