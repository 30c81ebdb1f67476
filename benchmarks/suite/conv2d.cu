#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(expr)                                                          \
  if (auto rc = (expr); rc != cudaSuccess) {                                   \
    fprintf(stderr, #expr " failed: %s\n", cudaGetErrorName(rc));              \
    std::abort();                                                              \
  }

// NCHW convolution, 3x3, stride 1, "same" padding
template <typename T>
__global__ void conv_forward(const T *x, const T *w, const T *bias, T *y, int B, int C, int K, int H, int W)
{
  int ow = blockIdx.x * blockDim.x + threadIdx.x;
  int oh = blockIdx.y * blockDim.y + threadIdx.y;
  int bk = blockIdx.z;
  int k = bk % K;
  int b = bk / K;
  if (ow >= W || oh >= H) return;

  T acc = bias[k];
  for (int c = 0; c < C; c++) {
    for (int r = 0; r < 3; r++) {
      for (int s = 0; s < 3; s++) {
        int ih = oh + r - 1;
        int iw = ow + s - 1;
        if (ih >= 0 && ih < H && iw >= 0 && iw < W)
          acc += x[((b * C + c) * H + ih) * W + iw] * w[((k * C + c) * 3 + r) * 3 + s];
      }
    }
  }
  y[((b * K + k) * H + oh) * W + ow] = acc;
}

int main(int argc, char *argv[])
{
  int B = argc > 1 ? atoi(argv[1]) : 1;
  int C = argc > 2 ? atoi(argv[2]) : 8;
  int S = argc > 3 ? atoi(argv[3]) : 20;
  int K = C;

  std::vector<float> x((size_t)B * C * S * S), w((size_t)K * C * 9), bias(K), y((size_t)B * K * S * S);
  for (size_t i = 0; i < x.size(); i++) x[i] = float(i % 17) / 17 - 0.5f;
  for (size_t i = 0; i < w.size(); i++) w[i] = float(i % 7) / 7 - 0.4f;
  for (int i = 0; i < K; i++) bias[i] = 0.1f * i;

  float *dx, *dw, *db, *dy;
  CUDA_OK(cudaMalloc(&dx, x.size() * 4));
  CUDA_OK(cudaMalloc(&dw, w.size() * 4));
  CUDA_OK(cudaMalloc(&db, bias.size() * 4));
  CUDA_OK(cudaMalloc(&dy, y.size() * 4));
  CUDA_OK(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(dw, w.data(), w.size() * 4, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(db, bias.data(), bias.size() * 4, cudaMemcpyHostToDevice));

  dim3 block(16, 16);
  dim3 grid((S + 15) / 16, (S + 15) / 16, B * K);
  conv_forward<float><<<grid, block>>>(dx, dw, db, dy, B, C, K, S, S);
  CUDA_OK(cudaPeekAtLastError());
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost));

  double checksum = 0;
  for (size_t i = 0; i < y.size(); i++) checksum += y[i] * (double)(i % 5 + 1);
  printf("checksum %.3f\n", checksum);

  CUDA_OK(cudaFree(dx));
  CUDA_OK(cudaFree(dw));
  CUDA_OK(cudaFree(db));
  CUDA_OK(cudaFree(dy));
}
