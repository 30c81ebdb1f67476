// kernel=mix line=12 finding=KO108
#include <cuda_runtime.h>

#define TONES 64

__global__ void mix(const float* voices, const float* weights, float* tones, int n, int voice_count) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int tone[4];
  #pragma unroll
  for (int r = 0; r < 4; r++)
    tone[r] = blockIdx.y * 4 + r;
  if (i < n) {
    float level[4] = {};
    for (int v = 0; v < voice_count; v++) {
      #pragma unroll
      for (int r = 0; r < 4; r++)
        level[r] += weights[tone[r] * voice_count + v] * voices[v * n + i];
    }
    #pragma unroll
    for (int r = 0; r < 4; r++)
      tones[tone[r] * n + i] = level[r];
  }
}

void run(const float* voices, const float* weights, float* tones, int n) {
  mix<<<dim3((n + 255) / 256, (TONES + 3) / 4), 256>>>(voices, weights, tones, n, 12);
}
