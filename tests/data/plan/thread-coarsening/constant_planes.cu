// kernel=mix line=12 finding=KO108
#include <cuda_runtime.h>

#define TONES 64

__global__ void mix(const float* voices, const float* weights, float* tones, int n, int voice_count) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int tone = blockIdx.y;
  if (i < n) {
    float level = 0;
    for (int v = 0; v < voice_count; v++)
      level += weights[tone * voice_count + v] * voices[v * n + i];
    tones[tone * n + i] = level;
  }
}

void run(const float* voices, const float* weights, float* tones, int n) {
  mix<<<dim3((n + 255) / 256, TONES), 256>>>(voices, weights, tones, n, 12);
}
