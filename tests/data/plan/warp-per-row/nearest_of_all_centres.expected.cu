// kernel=nearest_centre line=10 finding=KO111
#include <cstdio>

// which of many centres is nearest to each of a few points
__global__ void nearest_centre(const float2 *points, const float2 *centres, int *nearest, int count, int centre_count) {
  int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (p >= count) return;
  float least = 1e30f;
  int which = -1;
  for (int c = lane; c < centre_count; c += 32) {
    float dx = points[p].x - centres[c].x, dy = points[p].y - centres[c].y;
    float d = dx * dx + dy * dy;
    if (d < least) {
      least = d;
      which = c;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float other_least = __shfl_xor_sync(0xffffffff, least, offset);
    int other_which = __shfl_xor_sync(0xffffffff, which, offset);
    if (other_least < least || (other_least == least && other_which < which)) {
      least = other_least;
      which = other_which;
    }
  }
  if (lane == 0) nearest[p] = which;
}

int main() {
  const int count = 90, centre_count = 700;
  float2 *points, *centres;
  int *nearest;
  cudaMallocManaged(&points, count * sizeof(float2));
  cudaMallocManaged(&centres, centre_count * sizeof(float2));
  cudaMallocManaged(&nearest, count * sizeof(int));
  for (int i = 0; i < count; i++) points[i] = make_float2(i * 37 % 101, i * 53 % 97);
  for (int i = 0; i < centre_count; i++) centres[i] = make_float2(i * 41 % 89, i * 67 % 83);
  nearest_centre<<<count, 32>>>(points, centres, nearest, count, centre_count);
  cudaDeviceSynchronize();
  for (int p = 0; p < count; p++) {
    auto far = [&](int c) { float dx = points[p].x - centres[c].x, dy = points[p].y - centres[c].y; return dx * dx + dy * dy; };
    int best = 0;
    for (int c = 1; c < centre_count; c++)
      if (far(c) < far(best)) best = c;
    if (nearest[p] != best) return printf("FAIL %d\n", p), 1;
  }
  return puts("PASS"), 0;
}
