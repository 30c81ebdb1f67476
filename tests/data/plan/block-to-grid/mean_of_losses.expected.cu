// kernel=meanLoss line=37 finding=KO111
#include <cuda_runtime.h>
#include <stdio.h>

#define CUDA_CALL(x) do { if ((x) != cudaSuccess) return 1; } while (0)

__global__ void meanLoss(const float* losses, float* result, int batch) {
  __shared__ float cache[256];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < batch; i += blockDim.x * gridDim.x) {
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
    atomicAdd(result, cache[0] / batch);
  }
}

int main() {
  int batch = 1 << 18;
  float *dLosses, *dResult, loss;
  float* hLosses = new float[batch];
  for (int i = 0; i < batch; ++i) {
    hLosses[i] = (float)((i * 1237) % 4096) / 512.0f - 4.0f;
  }
  CUDA_CALL(cudaMalloc(&dLosses, batch * sizeof(float)));
  CUDA_CALL(cudaMalloc(&dResult, sizeof(float)));
  CUDA_CALL(cudaMemcpy(dLosses, hLosses, batch * sizeof(float), cudaMemcpyHostToDevice));

  CUDA_CALL(cudaMemset(dResult, 0, sizeof(float)));
  meanLoss<<<264, 256>>>(dLosses, dResult, batch);
  CUDA_CALL(cudaGetLastError());
  CUDA_CALL(cudaMemcpy(&loss, dResult, sizeof(float), cudaMemcpyDeviceToHost));
  printf("loss: %.6f\n", loss);
  return 0;
}
