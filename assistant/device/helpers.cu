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
