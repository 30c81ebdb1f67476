// kernel=backwards line=9 finding=KO118
#include <cstdio>
#include <vector>

template <class Sample>
__global__ void backwards(Sample *dst, const Sample *src, long count) {
  const bool aligned = (reinterpret_cast<size_t>(src) | reinterpret_cast<size_t>(dst)) % 16 == 0 && count % 8 == 0;
  const long first = ((long)blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (aligned && first + 8 <= count) {
    alignas(16) Sample src8[8];
    *reinterpret_cast<int4 *>(src8) = *reinterpret_cast<const int4 *>(src + first);
    alignas(16) Sample dst8_mirrored[8];
    #pragma unroll
    for (int lane = 0; lane < 8; ++lane)
      dst8_mirrored[7 - lane] = src8[lane];
    *reinterpret_cast<int4 *>(dst + (count - first - 8)) = *reinterpret_cast<int4 *>(dst8_mirrored);
  } else {
    for (long k = first; k < count && k < first + 8; ++k)
      dst[count - 1 - k] = src[k];
  }
}

int main() {
  const long count = 20008;
  std::vector<short> tape(count);
  for (long i = 0; i < count; i++) tape[i] = (short)(i * 7919 % 30011 - 15000);
  short *from, *to;
  cudaMalloc((void **)&from, count * sizeof(short));
  cudaMalloc((void **)&to, count * sizeof(short));
  cudaMemcpy(from, tape.data(), count * sizeof(short), cudaMemcpyHostToDevice);
  backwards<short><<<(count + 2047) / 2048, 256>>>(to, from, count);
  cudaMemcpy(tape.data(), to, count * sizeof(short), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (long i = 0; i < count; i++) sum += tape[i] * (i % 5 + 1);
  printf("%ld\n", sum);
  return 0;
}
