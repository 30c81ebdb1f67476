// 64-bit integers, rotations, hashing, big constant tables, byte-wise access, mixed signedness.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define ROTL64(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
__device__ __constant__ uint32_t K[8] = {0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u};
static const uint32_t hK[8] = {0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u};
__host__ __device__ static inline uint32_t round_of(uint32_t a, uint32_t e, uint32_t k) { uint32_t s = ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25); return a + s + k + ((e & a) ^ (~e & k)); }
__host__ __device__ uint64_t fnv(const uint8_t* p, size_t n) { uint64_t h = 0xcbf29ce484222325ull; for (size_t i = 0; i < n; i++) { h ^= p[i]; h *= 0x100000001b3ull; } return ROTL64(h, 13); }
__global__ void digest(const uint8_t* text, size_t stride, uint64_t* out, uint32_t* sums) { const unsigned i = threadIdx.x; out[i] = fnv(text + i * stride, stride); uint32_t a = i, e = ~i; for (int k = 0; k < 8; k++) { uint32_t t = round_of(a, e, K[k]); e = a; a = __funnelshift_r(t, t, 7); } sums[i] = a ^ (uint32_t)__brevll(out[i]) ^ (uint32_t)((int8_t)text[i] < 0) ^ (uint32_t)((int64_t)out[i] >> 63); }
int main(void) { enum { N = 64, STRIDE = 13 }; uint8_t text[N * STRIDE]; for (int i = 0; i < N * STRIDE; i++) text[i] = (uint8_t)(i * 31); uint8_t* d; uint64_t *o, out[N]; uint32_t *s, sums[N]; cudaMalloc((void**)&d, sizeof text); cudaMalloc((void**)&o, sizeof out); cudaMalloc((void**)&s, sizeof sums); cudaMemcpy(d, text, sizeof text, cudaMemcpyHostToDevice); digest<<<1, N>>>(d, STRIDE, o, s); cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost); cudaMemcpy(sums, s, sizeof sums, cudaMemcpyDeviceToHost); int bad = 0; for (unsigned i = 0; i < N; i++) { uint64_t h = fnv(text + i * STRIDE, STRIDE); uint32_t a = i, e = ~i; for (int k = 0; k < 8; k++) { uint32_t t = round_of(a, e, hK[k]); e = a; a = ROTR(t, 7); } uint64_t r = 0; for (int b = 0; b < 64; b++) r |= (h >> b & 1) << (63 - b); bad += out[i] != h || sums[i] != (a ^ (uint32_t)r ^ (uint32_t)((int8_t)text[i] < 0) ^ (uint32_t)((int64_t)h >> 63)); } printf("crypto_bits %s\n", bad ? "FAIL" : "PASS"); return bad; }
