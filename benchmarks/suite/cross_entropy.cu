// softmax cross-entropy of logits [batch, classes] with integer labels; mean loss
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define CUDA_CALL(x) do { if ((x) != cudaSuccess) { \
  printf("Error at %s:%d\n", __FILE__, __LINE__); \
  return EXIT_FAILURE; } } while (0)

__global__ void crossEntropyLoss(const float* logits, const int* labels, float* losses, int batch, int classes) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < batch) {
    // max for numerical stability
    float maxLogit = logits[(size_t)idx * classes];
    for (int c = 1; c < classes; ++c) {
      maxLogit = max(maxLogit, logits[(size_t)idx * classes + c]);
    }
    float sumExp = 0.0f;
    for (int c = 0; c < classes; ++c) {
      sumExp += expf(logits[(size_t)idx * classes + c] - maxLogit);
    }
    float logProb = logits[(size_t)idx * classes + labels[idx]] - maxLogit - logf(sumExp);
    losses[idx] = -logProb;
  }
}

__global__ void meanLoss(const float* losses, float* result, int batch) {
  __shared__ float cache[256];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < batch; i += blockDim.x) {
    sum += losses[i];
  }
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      cache[threadIdx.x] += cache[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *result = cache[0] / batch;
  }
}

int main(int argc, char** argv) {
  int batch = argc > 1 ? atoi(argv[1]) : 64;
  int classes = argc > 2 ? atoi(argv[2]) : 100;
  size_t count = (size_t)batch * classes;

  float* hLogits = (float*)malloc(count * sizeof(float));
  int* hLabels = (int*)malloc(batch * sizeof(int));
  for (size_t i = 0; i < count; ++i) hLogits[i] = (float)((i * 1237) % 4096) / 512.0f - 4.0f;
  for (int i = 0; i < batch; ++i) hLabels[i] = (i * 31) % classes;

  float *dLogits, *dLosses, *dResult;
  int* dLabels;
  CUDA_CALL(cudaMalloc(&dLogits, count * sizeof(float)));
  CUDA_CALL(cudaMalloc(&dLabels, batch * sizeof(int)));
  CUDA_CALL(cudaMalloc(&dLosses, batch * sizeof(float)));
  CUDA_CALL(cudaMalloc(&dResult, sizeof(float)));
  CUDA_CALL(cudaMemcpy(dLogits, hLogits, count * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(dLabels, hLabels, batch * sizeof(int), cudaMemcpyHostToDevice));

  int threads = 128;
  crossEntropyLoss<<<(batch + threads - 1) / threads, threads>>>(dLogits, dLabels, dLosses, batch, classes);
  CUDA_CALL(cudaGetLastError());
  meanLoss<<<1, 256>>>(dLosses, dResult, batch);
  CUDA_CALL(cudaGetLastError());

  float loss;
  CUDA_CALL(cudaMemcpy(&loss, dResult, sizeof(float), cudaMemcpyDeviceToHost));
  printf("loss: %.6f\n", loss);

  cudaFree(dLogits);
  cudaFree(dLabels);
  cudaFree(dLosses);
  cudaFree(dResult);
  free(hLogits);
  free(hLabels);
  return 0;
}
