// kernel=fwht_rows line=13 finding=KO118
#include <cstdio>
#include <cstdlib>

#define LENGTH 1024

// Walsh-Hadamard transform of rows of 1024, in shared memory; returns the rows' largest coefficient as well
__global__ void fwht_rows(float *data, float *largest) {
  __shared__ float row[LENGTH];
  __shared__ float best[256];
  float *mine = data + blockIdx.x * LENGTH;

  for (int i = threadIdx.x; i < LENGTH; i += blockDim.x)
    row[i] = mine[i];
  __syncthreads();

  for (int half = 1; half < LENGTH; half *= 2) {
    for (int pair = threadIdx.x; pair < LENGTH / 2; pair += blockDim.x) {
      int i = pair / half * 2 * half + pair % half;
      float a = row[i], b = row[i + half];
      row[i] = a + b;
      row[i + half] = a - b;
    }
    __syncthreads();
  }

  float m = 0;
  for (int i = threadIdx.x; i < LENGTH; i += blockDim.x) {
    mine[i] = row[i];
    m = fmaxf(m, fabsf(row[i]));
  }
  best[threadIdx.x] = m;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    largest[blockIdx.x] = best[0];
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 5;
  size_t size = (size_t)rows * LENGTH * sizeof(float);
  float *h = (float *)malloc(size), *l = (float *)malloc(rows * sizeof(float));
  for (int i = 0; i < rows * LENGTH; i++)
    h[i] = (i * 31 % 17) - 8.0f;
  float *d, *dl;
  cudaMalloc(&d, size);
  cudaMalloc(&dl, rows * sizeof(float));
  cudaMemcpy(d, h, size, cudaMemcpyHostToDevice);
  fwht_rows<<<rows, 256>>>(d, dl);
  cudaMemcpy(h, d, size, cudaMemcpyDeviceToHost);
  cudaMemcpy(l, dl, rows * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < rows * LENGTH; i++)
    sum += h[i] * (i % 3);
  printf("%.3f %.3f\n", sum, l[rows - 1]);
  cudaFree(d);
  cudaFree(dl);
  free(h);
  free(l);
  return 0;
}
