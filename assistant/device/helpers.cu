// Kernels of the GPU worker itself. They are compiled once by the user's own nvcc and kept.

// Fills the block's dynamic shared memory, so that what a kernel finds there is known: no API call reaches it.
extern "C" __global__ void kernelopt_fill_shared(unsigned int pattern, unsigned int word_count) {
  extern __shared__ unsigned int kernelopt_words[];
  volatile unsigned int* words = kernelopt_words;
  for (unsigned int i = threadIdx.x; i < word_count; i += blockDim.x) words[i] = pattern;
}
