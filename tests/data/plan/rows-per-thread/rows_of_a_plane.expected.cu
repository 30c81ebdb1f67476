// kernel=curl line=12 finding=KO121
#include <cstdio>
#include <vector>

/* one component of a curl on a staggered grid */
template <typename T>
__global__ void curl(T *hz, const T *ex, const T *ey, int nx, int ny)
{
  unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned first_i = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (j < ny - 1) {
    if (first_i + 3 < nx - 1) {
      T result[4];
      #pragma unroll
      for (int r = 0; r < 4; r++) {
        const unsigned i = first_i + r;
        result[r] = hz[i * ny + j] - T(0.7) * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
      }
      #pragma unroll
      for (int r = 0; r < 4; r++) {
        const unsigned i = first_i + r;
        hz[i * ny + j] = result[r];
      }
    } else {
      for (int r = 0; r < 4; r++) {
        const unsigned i = first_i + r;
        if (i < nx - 1) {
          hz[i * ny + j] -= T(0.7) * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
        }
      }
    }
  }
}

int main()
{
  const int nx = 70, ny = 66, n = nx * ny;
  std::vector<float> v(n);
  for (int i = 0; i < n; i++) v[i] = i * 11 % 64 / 64.0f;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemcpy(a, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(c, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  curl<float><<<dim3((ny + 31) / 32, (nx + 31) / 32), dim3(32, 8)>>>(a, b, c, nx, ny);
  cudaMemcpy(v.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (float e : v) sum += e;
  printf("%f\n", sum);
}
