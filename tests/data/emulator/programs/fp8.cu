// 8-bit floating point: every code, every half and bfloat16, and floats around every boundary, against the formats' definition.
#include <cstdio>
#include <cstdint>
#include <cuda_fp8.h>
struct Format { int mantissa_bits, bias, largest; bool has_infinity; };
constexpr Format E4M3{3, 7, 0x7e, false}, E5M2{2, 15, 0x7b, true};
double value_of(int code, Format f) {  // of a code without sign that is a number
  int exponent = code >> f.mantissa_bits, mantissa = code & ((1 << f.mantissa_bits) - 1);
  double unit = std::ldexp(1.0, (exponent ? exponent : 1) - f.bias - f.mantissa_bits);
  return (exponent ? (1 << f.mantissa_bits) + mantissa : mantissa) * unit;
}
int nearest(double x, Format f, bool saturates) {  // the definition: the nearest of all values, ties to the even code
  if (std::isnan(x)) return 0x7f;
  int sign = std::signbit(x) ? 0x80 : 0, best = 0, beyond = saturates ? f.largest : f.has_infinity ? 0x7c : 0x7f;
  double a = std::fmin(std::fabs(x), 2 * value_of(f.largest + 1, f));  // so that no difference is rounded
  if (std::isinf(x)) return sign | beyond;
  for (int code = 1; code <= f.largest + 1; code++) {  // the last is the value that would follow the largest
    double now = std::fabs(value_of(code, f) - a), before = std::fabs(value_of(best, f) - a);
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  return sign | (best > f.largest ? beyond : best);
}
__global__ void convert_halves(unsigned char* out, __nv_fp8_interpretation_t kind, __nv_saturation_t saturation, bool is_bfloat16) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (is_bfloat16) out[i] = __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw(__ushort_as_bfloat16(i)), saturation, kind);
  else out[i] = __nv_cvt_halfraw_to_fp8(__half_raw(__ushort_as_half(i)), saturation, kind);
}
__global__ void convert_floats(const float* in, unsigned char* out, int n, __nv_fp8_interpretation_t kind, __nv_saturation_t saturation) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __nv_cvt_float_to_fp8(in[i], saturation, kind);
}
template <class T> __global__ void decode(float* floats, unsigned short* halves, int* ints, signed char* chars, __nv_fp8_interpretation_t kind) {
  T x; x.__x = threadIdx.x;
  floats[threadIdx.x] = float(x); halves[threadIdx.x] = __nv_cvt_fp8_to_halfraw(x.__x, kind).x;
  ints[threadIdx.x] = int(x); chars[threadIdx.x] = (signed char)x;
}
template <class T, class T2, class T4> __global__ void vectors(unsigned* out, float* back) {
  T4 four(make_float4(1.5f, -2.0f, 1e9f, 0.0f)), same(__floats2half2_rn(1.5f, -2.0f), __floats2half2_rn(1e9f, 0.0f));
  T2 two(make_float2(0.5f, -0.25f)), halves(__floats2half2_rn(0.5f, -0.25f));
  out[0] = four.__x; out[1] = same.__x; out[2] = two.__x; out[3] = halves.__x; out[4] = T(3).__x; out[5] = T(__float2half(-1.0f)).__x;
  float4 v = float4(four); float2 w = float2(two); __half2 h = __half2(two);
  back[0] = v.x; back[1] = v.y; back[2] = v.z; back[3] = v.w; back[4] = w.x; back[5] = w.y; back[6] = __low2float(h); back[7] = bool(T(-0.0f)) ? 1 : 0;
}
int bad_count = 0;
void expect(bool is_right, const char* what, unsigned at) { if (!is_right && bad_count++ < 10) printf("%s: %#x\n", what, at); }
template <class T, class T2, class T4> void test(__nv_fp8_interpretation_t kind, Format f) {
  static unsigned char got[65536]; unsigned char* out; float* in; cudaMalloc(&out, 65536); cudaMalloc(&in, 4 * 8192);
  float inputs[8192]; int n = 0;
  for (int code = 0; code <= f.largest; code++) for (float sign : {1.0f, -1.0f}) {
    float x = value_of(code, f), y = value_of(code + 1, f), middle = (x + y) / 2;
    for (float v : {x, y, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e30f), x + (y - x) / 4}) inputs[n++] = sign * v;
  }
  for (float v : {INFINITY, -INFINITY, NAN, -NAN, 1e-45f, -1e-45f, 3.4e38f}) inputs[n++] = v;
  cudaMemcpy(in, inputs, 4 * n, cudaMemcpyHostToDevice);
  for (auto saturation : {__NV_SATFINITE, __NV_NOSAT}) {
    for (bool is_bfloat16 : {false, true}) {
      convert_halves<<<256, 256>>>(out, kind, saturation, is_bfloat16); cudaMemcpy(got, out, 65536, cudaMemcpyDeviceToHost);
      for (unsigned i = 0; i < 65536; i++) {
        double x = is_bfloat16 ? __bfloat162float(__ushort_as_bfloat16(i)) : __half2float(__ushort_as_half(i));
        expect(got[i] == nearest(x, f, saturation == __NV_SATFINITE), is_bfloat16 ? "bfloat16" : "half", i);
      }
    }
    convert_floats<<<(n + 255) / 256, 256>>>(in, out, n, kind, saturation); cudaMemcpy(got, out, n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) expect(got[i] == nearest(inputs[i], f, saturation == __NV_SATFINITE), "float", i);
  }
  float* floats; unsigned short* halves; int* ints; signed char* chars; cudaMallocManaged(&floats, 1024); cudaMallocManaged(&halves, 512); cudaMallocManaged(&ints, 1024); cudaMallocManaged(&chars, 256);
  decode<T><<<1, 256>>>(floats, halves, ints, chars, kind); cudaDeviceSynchronize();
  for (int code = 0; code < 256; code++) {
    int low = code & 0x7f; bool is_nan = low > (f.has_infinity ? 0x7c : f.largest);
    double v = f.has_infinity && low == 0x7c ? INFINITY : value_of(low, f); if (code & 0x80) v = -v;
    expect(is_nan ? floats[code] != floats[code] : floats[code] == float(v), "to float", code);
    expect(is_nan ? halves[code] == 0x7fff : __half2float(__ushort_as_half(halves[code])) == float(v), "to half", code);
    expect(ints[code] == (is_nan ? 0 : v >= 2147483648.0 ? INT_MAX : v < -2147483648.0 ? INT_MIN : int(v)), "to int", code);
    expect(chars[code] == (is_nan ? 0 : v > 127 ? 127 : v < -128 ? -128 : int(v)), "to signed char", code);
  }
  unsigned* bits; float* back; cudaMallocManaged(&bits, 32); cudaMallocManaged(&back, 32);
  vectors<T, T2, T4><<<1, 1>>>(bits, back); cudaDeviceSynchronize();
  unsigned four = nearest(1.5, f, true) | nearest(-2, f, true) << 8 | f.largest << 16, two = nearest(0.5, f, true) | nearest(-0.25, f, true) << 8;
  expect(bits[0] == four && bits[1] == four, "four", bits[0]); expect(bits[2] == two && bits[3] == two, "two", bits[2]);
  expect(bits[4] == unsigned(nearest(3, f, true)) && bits[5] == unsigned(nearest(-1, f, true)), "one", bits[4]);
  expect(back[0] == 1.5f && back[1] == -2 && back[2] == float(value_of(f.largest, f)) && back[3] == 0, "four back", 0);
  expect(back[4] == 0.5f && back[5] == -0.25f && back[6] == 0.5f && back[7] == 0, "two back", 0);
}
int main() {
  test<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(__NV_E4M3, E4M3);
  test<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(__NV_E5M2, E5M2);
  static_assert(sizeof(__nv_fp8_e4m3) == 1 && sizeof(__nv_fp8x2_e5m2) == 2 && sizeof(__nv_fp8x4_e4m3) == 4 && alignof(__nv_fp8x4_e4m3) == 4, "");
  puts(bad_count ? "fp8 FAIL" : "fp8 PASS"); return bad_count != 0;
}
