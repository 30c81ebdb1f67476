// Loops as optimisers treat them differently: merged copies, hoisted and carried values, remainders, early exits.
#include <cstdio>
#include <vector>
__global__ void quarter(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++)
    s += a[i * 64 + k / 4];
  o[i] = s;
}
__global__ void quarter_bytes(const unsigned char* a, int* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0;
  for (int k = 0; k < 1000; k++)
    s += a[i + (k >> 2)];
  o[i] = s;
}
__global__ void hoisted(const float* __restrict__ s, float* __restrict__ o, int n) {
  __shared__ float t[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) {
    t[threadIdx.x] = s[k];
    __syncthreads();
    o[i] += t[(threadIdx.x + 1) & 255];
    __syncthreads();
  }
}
__global__ void three_rows(const float* in, float* out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 1; r < rows - 1; r++)
    out[r * n + i] = in[(r - 1) * n + i] + in[r * n + i] + in[(r + 1) * n + i];
}
__global__ void three_rows_restrict(const float* __restrict__ in, float* __restrict__ out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 1; r < rows - 1; r++)
    out[r * n + i] = in[(r - 1) * n + i] + in[r * n + i] + in[(r + 1) * n + i];
}
__global__ void grid_stride(const float4* a, float4* o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = a[i];
    v.x *= 2; v.y *= 3; v.z *= 4; v.w *= 5;
    o[i] = v;
  }
}
__global__ void grid_stride_unrolled(const float* a, float* o, int n) {
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    o[i] = a[i] * 2;
}
__global__ void row_dot(const float* m, const float* v, float* o, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float s = 0;
    for (int c = 0; c < columns; c++)
      s += m[c * rows + r] * v[c];
    o[r] = s;
  }
}
__global__ void halving(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = n;
  while (k > 1) {
    k >>= 1;
    if (i < k)
      a[i] += a[i + k];
    __syncthreads();
  }
}
__global__ void do_while(const int* next, int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = i, c = 0;
  do {
    j = next[j];
    c++;
  } while (c < n);
  o[i] = j;
}
__global__ void nested(const float* a, float* o, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < n; r++) {
    float s = a[r];
    for (int c = 0; c < m; c++)
      s += a[c * 512 + i] * r;
    o[r * 512 + i] = s;
  }
}
__global__ void guarded_in_loop(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) {
    float v = a[k * 512 + i];
    if (v > 20)
      o[k * 512 + i] = v;
    if ((k & 3) == 1) continue;
    o[(k + n) * 512 + i] = v + 1;
  }
}
__global__ void breaking(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) {
    float v = a[(i * 7 + k) & 4095];
    if (v > 48) break;
    s += v;
  }
  o[i] = s;
}
__global__ void rows_of_lengths(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int j = start[r]; j < start[r + 1]; j++)
    s += value[j] * x[column[j]];
  y[r] = s;
}
__global__ void carried(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float previous = a[i];
  for (int k = 1; k < n; k++) {
    float v = a[k * 512 + i];
    o[k * 512 + i] = v - previous;
    previous = v;
  }
}
__global__ void backwards(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = n - 1; k >= 0; k -= 2)
    o[k * 512 + i] = a[k * 512 + i] + 1;
}
__global__ void constant_trips(const float* a, float* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 100; k++)
    s += a[k * 512 + i];
  for (int p = 0; p < 5; p++)
    for (int q = 0; q < 5; q++)
      s += a[(p * 5 + q) * 512 + i] * a[q];
  o[i] = s;
}
__global__ void inplace(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++)
    a[i] = a[i] * 0.5f + a[i + 2048] * k;
}
__global__ void two_loops_one_line(const float* a, float* o, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
  for (int p = 0; p < n; p++) for (int q = 0; q < m; q++) s += a[(p * m + q) * 512 + i];
  o[i] = s;
}
int main() {
  int n = 512; float *a, *o; int *p, *q; unsigned char* b;
  cudaMalloc(&a, 1 << 20); cudaMalloc(&o, 1 << 20); cudaMalloc(&p, 1 << 16); cudaMalloc(&q, 1 << 18); cudaMalloc(&b, 1 << 16);
  std::vector<float> h(1 << 18); for (size_t i = 0; i < h.size(); i++) h[i] = (i * 7 + i / 13) % 53;
  cudaMemcpy(a, h.data(), 1 << 20, cudaMemcpyHostToDevice); cudaMemset(o, 0, 1 << 20); cudaMemset(b, 3, 1 << 16);
  std::vector<int> l(1 << 14); l[0] = 0; for (int i = 1; i <= 4096; i++) l[i] = l[i - 1] + (i * 5 + i / 7) % 9;
  cudaMemcpy(p, l.data(), 1 << 16, cudaMemcpyHostToDevice);
  std::vector<int> c(1 << 16); for (size_t i = 0; i < c.size(); i++) c[i] = (i * 31) % 4096; cudaMemcpy(q, c.data(), 1 << 18, cudaMemcpyHostToDevice);
  quarter<<<4, 128>>>(a, o, 50); quarter_bytes<<<4, 128>>>(b, (int*)o); hoisted<<<2, 256>>>(a, o, 20);
  three_rows<<<4, 128>>>(a, o, n, 40); three_rows_restrict<<<4, 128>>>(a, o, n, 40);
  grid_stride<<<3, 128>>>((float4*)a, (float4*)o, 1000); grid_stride_unrolled<<<3, 128>>>(a, o, 5000);
  row_dot<<<4, 128>>>(a, a + 100000, o, 500, 77); halving<<<1, 256>>>(o, 512); do_while<<<4, 128>>>(q, (int*)o, 9);
  nested<<<4, 128>>>(a, o, 7, 11); guarded_in_loop<<<4, 128>>>(a, o, 19); breaking<<<4, 128>>>(a, o, 60);
  rows_of_lengths<<<4, 128>>>(p, q, a, a, o, 500); carried<<<4, 128>>>(a, o, 33); backwards<<<4, 128>>>(a, o, 40);
  constant_trips<<<4, 128>>>(a, o); inplace<<<4, 128>>>(o, 21); two_loops_one_line<<<4, 128>>>(a, o, 5, 9);
  printf("grade_loops: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
