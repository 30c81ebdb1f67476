// kernel=softmax_kept line=20 finding=KO118
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

// rows of up to ROUNDS * 128 scores; a block keeps a row in its registers
template <int ROUNDS>
__global__ void softmax_kept(const float *__restrict__ scores, float *__restrict__ shares, unsigned n)
{
  __shared__ float parts[128];
  const float *in = &scores[blockIdx.x * n];
  float *out = &shares[blockIdx.x * n];
  const int tid = threadIdx.x;
  float kept[ROUNDS], top = -FLT_MAX, sum = 0;

  const bool aligned = (reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) % 16 == 0;
  #pragma unroll
  for (int r = 0; r < ROUNDS / 4 * 4; r += 4)
  {
    const int first = tid * 4 + r * blockDim.x;
    if (aligned && first + 4 <= n)
    {
      alignas(16) float in4[4];
      *reinterpret_cast<float4 *>(in4) = __ldg(reinterpret_cast<const float4 *>(in + first));
      #pragma unroll
      for (int k = 0; k < 4; ++k)
      {
        kept[r + k] = in4[k];
        top = fmaxf(top, kept[r + k]);
      }
    }
    else
    {
      #pragma unroll
      for (int k = 0; k < 4; ++k)
      {
        const int at = first + k;
        kept[r + k] = at < n ? __ldg(&in[at]) : -FLT_MAX;
        top = fmaxf(top, kept[r + k]);
      }
    }
  }
  for (int r = ROUNDS / 4 * 4; r < ROUNDS; ++r)
  {
    const int at = r * blockDim.x + tid;
    kept[r] = at < n ? __ldg(&in[at]) : -FLT_MAX;
    top = fmaxf(top, kept[r]);
  }
  parts[tid] = top;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2)
  {
    if (tid < s) parts[tid] = fmaxf(parts[tid], parts[tid + s]);
    __syncthreads();
  }
  top = parts[0];
  __syncthreads();

  for (int r = 0; r < ROUNDS; ++r)
  {
    kept[r] = expf(kept[r] - top);
    sum += kept[r];
  }
  parts[tid] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2)
  {
    if (tid < s) parts[tid] += parts[tid + s];
    __syncthreads();
  }
  sum = parts[0];

  #pragma unroll
  for (int r = 0; r < ROUNDS / 4 * 4; r += 4)
  {
    const int first = tid * 4 + r * blockDim.x;
    if (aligned && first + 4 <= n)
    {
      alignas(16) float out4[4];
      #pragma unroll
      for (int k = 0; k < 4; ++k)
        out4[k] = kept[r + k] / sum;
      *reinterpret_cast<float4 *>(out + first) = *reinterpret_cast<float4 *>(out4);
    }
    else
    {
      #pragma unroll
      for (int k = 0; k < 4; ++k)
      {
        const int at = first + k;
        if (at < n) // the last round may be cut
          out[at] = kept[r + k] / sum;
      }
    }
  }
  for (int r = ROUNDS / 4 * 4; r < ROUNDS; ++r)
  {
    const int at = r * blockDim.x + tid;
    if (at < n) // the last round may be cut
      out[at] = kept[r] / sum;
  }
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : 37, n = argc > 2 ? atoi(argv[2]) : 700;
  std::vector<float> h((size_t)rows * n);
  for (size_t i = 0; i < h.size(); i++) h[i] = ((i * 37) % 101) * 0.05f;
  float *a, *b;
  cudaMalloc(&a, h.size() * sizeof(float));
  cudaMalloc(&b, h.size() * sizeof(float));
  cudaMemcpy(a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  softmax_kept<6><<<rows, 128>>>(a, b, n);
  cudaMemcpy(h.data(), b, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (size_t i = 0; i < h.size(); i++) s += h[i] * (i % 3);
  printf("%.6f\n", s);
  cudaFree(a);
  cudaFree(b);
}
