#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#include <cuda_runtime.h>

static const char kAlphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__constant__ char c_alphabet[64];

// 3 bytes in, 4 characters out per thread
__global__ void encode3to4(const uint8_t* __restrict__ in, uchar4* __restrict__ out, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  const uint32_t b0 = in[3 * g + 0];
  const uint32_t b1 = in[3 * g + 1];
  const uint32_t b2 = in[3 * g + 2];
  const uint32_t v = (b0 << 16) | (b1 << 8) | b2;
  uchar4 q;
  q.x = c_alphabet[v >> 18];
  q.y = c_alphabet[(v >> 12) & 63];
  q.z = c_alphabet[(v >> 6) & 63];
  q.w = c_alphabet[v & 63];
  out[g] = q;
}

// one thread per output character: neighbours share source bytes
__global__ void encodePerChar(const uint8_t* in, const char* table, char* out, int chars) {
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < chars; c += gridDim.x * blockDim.x) {
    const int bit = 6 * c;
    const int first = bit >> 3;
    const int last = (bit + 5) >> 3;
    const uint32_t hi = in[first];
    const uint32_t lo = in[last];
    const int shift = 10 - (bit & 7);
    const uint32_t pair = first == last ? (hi << 8) : ((hi << 8) | lo);
    const char ch = table[(pair >> shift) & 63];
    out[c] = ch;
  }
}

__global__ void decode4to3(const uint8_t* in, const int8_t* __restrict__ rev, uint8_t* out, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  uint32_t v = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint8_t ch = in[4 * g + k];
    const int8_t x = rev[ch];
    v = (v << 6) | (uint32_t)x;
  }
  out[3 * g] = (uint8_t)(v >> 16);
  out[3 * g + 1] = (uint8_t)(v >> 8);
  out[3 * g + 2] = (uint8_t)v;
}

int main() {
  const int groups = 100003;
  const int bytes = 3 * groups, chars = 4 * groups;
  std::vector<uint8_t> raw(bytes), back(bytes);
  for (int i = 0; i < bytes; ++i) raw[i] = (uint8_t)((i * 40503u) >> 7);
  std::vector<int8_t> rev(256, 0);
  for (int i = 0; i < 64; ++i) rev[(uint8_t)kAlphabet[i]] = (int8_t)i;

  uint8_t *dRaw, *dBack;
  uchar4* dEnc;
  char *dEnc2, *dTab;
  int8_t* dRev;
  cudaMalloc(&dRaw, bytes);
  cudaMalloc(&dBack, bytes);
  cudaMalloc(&dEnc, chars);
  cudaMalloc(&dEnc2, chars);
  cudaMalloc(&dTab, 64);
  cudaMalloc(&dRev, 256);
  cudaMemcpy(dRaw, raw.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dTab, kAlphabet, 64, cudaMemcpyHostToDevice);
  cudaMemcpy(dRev, rev.data(), 256, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(c_alphabet, kAlphabet, 64);

  encode3to4<<<(groups + 127) / 128, 128>>>(dRaw, dEnc, groups);
  encodePerChar<<<512, 160>>>(dRaw, dTab, dEnc2, chars);
  decode4to3<<<(groups + 127) / 128, 128>>>((const uint8_t*)dEnc, dRev, dBack, groups);
  cudaError_t err = cudaDeviceSynchronize();
  if (err != cudaSuccess) {
    std::printf("failed: %s\n", cudaGetErrorString(err));
    return 1;
  }

  std::string s1(chars, ' '), s2(chars, ' ');
  cudaMemcpy(&s1[0], dEnc, chars, cudaMemcpyDeviceToHost);
  cudaMemcpy(&s2[0], dEnc2, chars, cudaMemcpyDeviceToHost);
  cudaMemcpy(back.data(), dBack, bytes, cudaMemcpyDeviceToHost);
  uint64_t h = 5381;
  for (int i = 0; i < chars; ++i) h = h * 33 + (uint8_t)s1[i];
  std::printf("%s %s %016llx\n", s1 == s2 ? "same" : "DIFFERENT", back == raw ? "roundtrip" : "BROKEN",
              (unsigned long long)h);
  cudaFree(dRaw); cudaFree(dBack); cudaFree(dEnc); cudaFree(dEnc2); cudaFree(dTab); cudaFree(dRev);
  return 0;
}
