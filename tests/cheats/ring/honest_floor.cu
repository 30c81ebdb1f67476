// The same distances by another rounding, which differs for halves alone: both are as far away.
#include <cfloat>
#include <cstdio>
#include <vector>

__constant__ float ring;

__global__ void spans(float *span, const float *place, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 1; k <= 8; k++) {
    float d = place[i] - place[(i + k) % n];
    d -= ring * floorf(d / ring + 0.5f);
    sum += d * d;
  }
  span[i] = sum;
}

__global__ void arrivals(float *time, const float *away, const float *speed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  time[i] = speed[i] > 0 ? fabsf(away[i]) / speed[i] : FLT_MAX;
}

float *uploaded(int n, float least, float most) {
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = least + (most - least) * (i * 7919L % 10007) / 10007;
  float *device;
  cudaMalloc(&device, n * sizeof(float));
  cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  const int n = 1000;
  float length = 25, *span, *time;
  cudaMemcpyToSymbol(ring, &length, sizeof length);
  cudaMalloc(&span, n * sizeof(float));
  cudaMalloc(&time, n * sizeof(float));
  spans<<<8, 128>>>(span, uploaded(n, 0, 8), n);
  arrivals<<<8, 128>>>(time, uploaded(n, 1, 90), uploaded(n, -1, 2), n);
  std::vector<float> spans_host(n), times_host(n);
  cudaMemcpy(spans_host.data(), span, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(times_host.data(), time, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  int count = 0;
  for (int i = 0; i < n; i++) {
    sum += spans_host[i];
    count += times_host[i] < FLT_MAX;
  }
  std::printf("%.3e %d\n", sum, count);
}
