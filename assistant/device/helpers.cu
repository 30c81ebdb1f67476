// Kernels of the GPU worker itself. They are compiled once by the user's own nvcc and kept.

// Fills the block's dynamic shared memory, so that what a kernel finds there is known: no API call reaches it.
extern "C" __global__ void kernelopt_fill_shared(unsigned int pattern, unsigned int word_count) {
  extern __shared__ unsigned int kernelopt_words[];
  volatile unsigned int* words = kernelopt_words;
  for (unsigned int i = threadIdx.x; i < word_count; i += blockDim.x) words[i] = pattern;
}

// Adds to *sum a number for each 8 bytes that depends on their value and their place (Steele et al., "Fast splittable pseudorandom
// number generators", the mixing of SplitMix64), so that the order of threads does not matter.
extern "C" __global__ void kernelopt_checksum(const unsigned char* data, unsigned long long size_bytes, unsigned long long* sum) {
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x, count = size_bytes / 8;
  unsigned long long found = 0;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i <= count; i += step) {
    unsigned long long word = 0;
    if (i < count) word = ((const unsigned long long*)data)[i];
    else for (unsigned long long k = count * 8; k < size_bytes; ++k) word = word << 8 | data[k];
    word += (i + 1) * 0x9e3779b97f4a7c15ull;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ull;
    word = (word ^ word >> 27) * 0x94d049bb133111ebull;
    found += word ^ word >> 31;
  }
  atomicAdd(sum, found);
}

__device__ inline double kernelopt_number(const unsigned char* data, unsigned long long index, unsigned int kind) {
  if (kind == 2) return ((const double*)data)[index];
  if (kind == 1) return ((const float*)data)[index];
  const unsigned short bits = ((const unsigned short*)data)[index];
  if (kind == 4) return __int_as_float((int)bits << 16);
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(bits));
  return wide;
}

// Of each piece of two buffers three numbers: how many elements differ, the largest difference, and the largest one relative to the larger
// of the two values. `kind`: 0 bytes, 1 float, 2 double, 3 half, 4 bfloat16; of bytes only the count is found. NaN in both is no difference,
// NaN or infinity in one of them an infinite one. One block of 256 threads for each piece.
extern "C" __global__ void kernelopt_differences(const unsigned char* a, const unsigned char* b, unsigned long long size_bytes,
                                                 unsigned long long piece_bytes, unsigned int kind, double* found) {
  __shared__ double kernelopt_found[3][256];
  const unsigned int width = kind == 0 ? 1 : kind == 1 ? 4 : kind == 2 ? 8 : 2;
  const unsigned long long begin = blockIdx.x * piece_bytes, end = begin + piece_bytes < size_bytes ? begin + piece_bytes : size_bytes;
  double count = 0, largest = 0, relative = 0;
  for (unsigned long long i = begin / width + threadIdx.x; (i + 1) * width <= end; i += blockDim.x) {
    if (kind == 0) {
      count += a[i] != b[i];
      continue;
    }
    const double x = kernelopt_number(a, i, kind), y = kernelopt_number(b, i, kind);
    if (x == y || (x != x && y != y)) continue;
    double difference = fabs(x - y), size = fmax(fabs(x), fabs(y));
    const bool is_finite = difference <= 1.7e308;
    ++count;
    largest = fmax(largest, is_finite ? difference : 1.7e308);
    relative = fmax(relative, is_finite ? difference / size : 1.7e308);
  }
  kernelopt_found[0][threadIdx.x] = count;
  kernelopt_found[1][threadIdx.x] = largest;
  kernelopt_found[2][threadIdx.x] = relative;
  for (unsigned int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    kernelopt_found[0][threadIdx.x] += kernelopt_found[0][threadIdx.x + half];
    for (int k = 1; k < 3; ++k) kernelopt_found[k][threadIdx.x] = fmax(kernelopt_found[k][threadIdx.x], kernelopt_found[k][threadIdx.x + half]);
  }
  if (threadIdx.x < 3) found[blockIdx.x * 3ull + threadIdx.x] = kernelopt_found[threadIdx.x][0];
}
