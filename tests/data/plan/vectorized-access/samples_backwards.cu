// kernel=backwards line=9 finding=KO118
#include <cstdio>
#include <vector>

template <class Sample>
__global__ void backwards(Sample *dst, const Sample *src, long count) {
  long k = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  dst[count - 1 - k] = src[k];
}

int main() {
  const long count = 20008;
  std::vector<short> tape(count);
  for (long i = 0; i < count; i++) tape[i] = (short)(i * 7919 % 30011 - 15000);
  short *from, *to;
  cudaMalloc((void **)&from, count * sizeof(short));
  cudaMalloc((void **)&to, count * sizeof(short));
  cudaMemcpy(from, tape.data(), count * sizeof(short), cudaMemcpyHostToDevice);
  backwards<short><<<(count + 255) / 256, 256>>>(to, from, count);
  cudaMemcpy(tape.data(), to, count * sizeof(short), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (long i = 0; i < count; i++) sum += tape[i] * (i % 5 + 1);
  printf("%ld\n", sum);
  return 0;
}
