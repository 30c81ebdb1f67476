// kernel=sumRows line=11 finding=KO114
#include <cstdio>

template <typename T, int LENGTH>
__global__ void sumRows(T* out, const T* in, int rows)
{
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows)
  {
    T total = 0;
    #pragma unroll
    for (int i = 0; i < LENGTH; i++)
    {
      T value = in[r * LENGTH + i];
      total += value * value;
    }
    out[r] = total;
  }
}

template <typename T>
void run(T* out, const T* in, int rows)
{
  dim3 block(16);
  sumRows<T, 6><<<(rows + 15) / 16, block>>>(out, in, rows);
}

int main()
{
  const int rows = 40;
  double *in, *out;
  cudaMallocManaged(&in, rows * 6 * sizeof(double));
  cudaMallocManaged(&out, rows * sizeof(double));
  for (int i = 0; i < rows * 6; i++) in[i] = 2;
  run(out, in, rows);
  cudaDeviceSynchronize();
  for (int r = 0; r < rows; r++)
    if (out[r] != 24) { puts("FAIL"); return 1; }
  puts("PASS");
  return 0;
}
