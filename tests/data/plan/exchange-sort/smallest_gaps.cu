// kernel=smallest_gaps line=17 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>

const int KEPT = 6;

// each sensor keeps its six shortest pauses
__global__ void smallest_gaps(const int *times, int *gaps, int sensors, int events) {
  int s = threadIdx.x + blockIdx.x * blockDim.x;
  if (s < sensors) {
    int best[KEPT];
    for (int i = 0; i < KEPT; i++) best[i] = 2147483647;
    for (int e = 1; e < events; e++) {
      int gap = times[e * sensors + s] - times[(e - 1) * sensors + s];
      if (gap < best[KEPT - 1]) {
        best[KEPT - 1] = gap;
        for (int i = KEPT - 1; i > 0; i--) {
          if (best[i] >= best[i - 1]) break;
          int t = best[i];
          best[i] = best[i - 1];
          best[i - 1] = t;
        }
      }
    }
    for (int i = 0; i < KEPT; i++) gaps[i * sensors + s] = best[i];
  }
}

int main() {
  const int sensors = 400, events = 50;
  int *times, *gaps;
  cudaMallocManaged(&times, sensors * events * sizeof(int));
  cudaMallocManaged(&gaps, sensors * KEPT * sizeof(int));
  for (int s = 0; s < sensors; s++) times[s] = 0;
  for (int i = sensors; i < sensors * events; i++) times[i] = times[i - sensors] + i * 7919 % 503;
  smallest_gaps<<<(sensors + 63) / 64, 64>>>(times, gaps, sensors, events);
  cudaDeviceSynchronize();
  for (int s = 0; s < sensors; s++) {
    std::vector<int> all;
    for (int e = 1; e < events; e++) all.push_back(times[e * sensors + s] - times[(e - 1) * sensors + s]);
    std::sort(all.begin(), all.end());
    for (int i = 0; i < KEPT; i++)
      if (gaps[i * sensors + s] != all[i]) return printf("FAIL %d\n", s), 1;
  }
  return puts("PASS"), 0;
}
