// Texture objects of every kind of memory, address mode and filter, against fetches written out by hand.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
static void expect(const char* what, int at, double got, double wanted, double tolerance) {
  if (std::fabs(got - wanted) <= tolerance) return;
  if (failures++ < 10) printf("%s [%d]: %g, not %g\n", what, at, got, wanted);
}

template <class T> __global__ void fetch_1d(cudaTextureObject_t t, const float* x, T* out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex1D<T>(t, x[i]); }
template <class T> __global__ void fetch_2d(cudaTextureObject_t t, const float* x, const float* y, T* out, int n) { int i = threadIdx.x; if (i < n) tex2D(&out[i], t, x[i], y[i]); }
__global__ void fetch_3d(cudaTextureObject_t t, const float* x, float* out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex3D<float>(t, x[i], x[(i + 1) % n], x[(i + 2) % n]); }
__global__ void fetch_layer(cudaTextureObject_t t, const float* x, float* out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex2DLayered<float>(t, x[i], x[(i + 1) % n], i % 4 - 1); }
template <class T> __global__ void fetch_linear(cudaTextureObject_t t, T* out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex1Dfetch<T>(t, i - 2); }

struct Image {
  int width, height, depth;
  std::vector<float> at;
  float texel(int x, int y, int z, const cudaTextureAddressMode mode[3], bool is_normalised) const {
    int place[3] = {x, y, z};
    const int size[3] = {width, height, depth};
    for (int axis = 0; axis < 3; axis++) {
      int& i = place[axis];
      const int n = size[axis];
      if (mode[axis] == cudaAddressModeBorder && (i < 0 || i >= n)) return -7;
      if (mode[axis] == cudaAddressModeWrap && is_normalised) while (i < 0 || i >= n) i += i < 0 ? n : -n;
      else if (mode[axis] == cudaAddressModeMirror && is_normalised) while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
      else i = i < 0 ? 0 : i >= n ? n - 1 : i;
    }
    return at[(place[2] * height + place[1]) * width + place[0]];
  }
  double sample(double x, double y, double z, const cudaTextureDesc& d, int axes) const {
    const double size[3] = {double(width), double(height), double(depth)};
    double at[3] = {x, y, z}, part[3] = {0, 0, 0};
    int first[3] = {0, 0, 0};
    for (int axis = 0; axis < axes; axis++) {
      double place = d.normalizedCoords ? double(float(at[axis]) * float(size[axis])) : at[axis];
      if (d.filterMode == cudaFilterModeLinear) place -= 0.5;
      first[axis] = int(std::floor(place));
      if (d.filterMode == cudaFilterModeLinear) part[axis] = place - first[axis];
    }
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
      double weight = 1;
      int i[3];
      for (int axis = 0; axis < 3; axis++) {
        bool is_second = corner >> axis & 1;
        weight *= is_second ? part[axis] : 1 - part[axis];
        i[axis] = first[axis] + is_second;
      }
      if (weight > 0) sum += weight * texel(i[0], i[1], axes < 3 ? first[2] : i[2], d.addressMode, d.normalizedCoords);
    }
    return sum;
  }
};

template <class T> T* device(const std::vector<T>& v) {
  T* p;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T> std::vector<T> host(const T* p, size_t n) {
  std::vector<T> v(n);
  cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}

static void arrays() {
  Image image{7, 5, 3, {}};
  for (int i = 0; i < 7 * 5 * 3; i++) image.at.push_back(float(i * 37 % 101));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t flat, row, cube, layers;
  cudaMallocArray(&flat, &format, 7, 5);
  cudaMallocArray(&row, &format, 7);
  cudaMalloc3DArray(&cube, &format, make_cudaExtent(7, 5, 3));
  cudaMalloc3DArray(&layers, &format, make_cudaExtent(7, 5, 3), cudaArrayLayered);
  cudaMemcpy2DToArray(flat, 0, 0, image.at.data(), 28, 28, 5, cudaMemcpyHostToDevice);
  cudaMemcpy2DToArray(row, 0, 0, image.at.data(), 28, 28, 1, cudaMemcpyHostToDevice);
  for (cudaArray_t to : {cube, layers}) {
    cudaMemcpy3DParms copy = {0};
    copy.srcPtr = make_cudaPitchedPtr(image.at.data(), 28, 7, 5);
    copy.dstArray = to;
    copy.extent = make_cudaExtent(7, 5, 3);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
  }
  const int n = 96;
  for (int filter = 0; filter < 2; filter++)
    for (int normal = 0; normal < 2; normal++)
      for (int mode = 0; mode < 4; mode++) {
        std::vector<float> x(n), y(n);
        for (int i = 0; i < n; i++) {
          x[i] = (i * 0.29f - 9.3f) / (normal ? 7 : 1);
          y[i] = (i * 0.17f - 6.1f) / (normal ? 5 : 1);
        }
        float *dx = device(x), *dy = device(y), *out = device(x);
        cudaTextureDesc how;
        memset(&how, 0, sizeof how);
        for (auto& m : how.addressMode) m = cudaTextureAddressMode(mode);
        how.filterMode = cudaTextureFilterMode(filter);
        how.normalizedCoords = normal;
        for (float& c : how.borderColor) c = -7;
        cudaResourceDesc what;
        memset(&what, 0, sizeof what);
        what.resType = cudaResourceTypeArray;
        cudaTextureObject_t t;
        const double tolerance = filter ? 1.5 : 0;  // the weights have 8 bits
        what.res.array.array = flat;
        if (cudaCreateTextureObject(&t, &what, &how, nullptr)) failures++;
        fetch_2d<float><<<1, n>>>(t, dx, dy, out, n);
        auto got = host(out, n);
        for (int i = 0; i < n; i++) expect("2D", i, got[i], image.sample(x[i], y[i], 0, how, 2), tolerance);
        cudaDestroyTextureObject(t);
        what.res.array.array = row;
        cudaCreateTextureObject(&t, &what, &how, nullptr);
        fetch_1d<float><<<1, n>>>(t, dx, out, n);
        got = host(out, n);
        for (int i = 0; i < n; i++) expect("1D", i, got[i], image.sample(x[i], 0, 0, how, 1), tolerance);
        what.res.array.array = cube;
        cudaCreateTextureObject(&t, &what, &how, nullptr);
        fetch_3d<<<1, n>>>(t, dx, out, n);
        got = host(out, n);
        for (int i = 0; i < n; i++) expect("3D", i, got[i], image.sample(x[i], x[(i + 1) % n], x[(i + 2) % n], how, 3), tolerance);
        what.res.array.array = layers;
        cudaCreateTextureObject(&t, &what, &how, nullptr);
        fetch_layer<<<1, n>>>(t, dx, out, n);
        got = host(out, n);
        for (int i = 0; i < n; i++) {
          int layer = i % 4 - 1 < 0 ? 0 : i % 4 - 1;
          Image of_layer{7, 5, 1, {image.at.begin() + layer * 35, image.at.begin() + layer * 35 + 35}};
          expect("layer", i, got[i], of_layer.sample(x[i], x[(i + 1) % n], 0, how, 2), tolerance);
        }
        cudaFree(dx), cudaFree(dy), cudaFree(out);
      }
  std::vector<float> back(35);
  cudaMemcpy2DFromArray(back.data(), 28, flat, 0, 0, 28, 5, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 35; i++) expect("copied back", i, back[i], image.at[i], 0);
}

static void pitched_bytes() {
  std::vector<uchar4> image(6 * 4);
  for (int i = 0; i < 24; i++) image[i] = make_uchar4(i * 10, 255 - i, i, 7);
  uchar4* pixels;
  size_t pitch;
  cudaMallocPitch(&pixels, &pitch, 24, 4);
  cudaMemcpy2D(pixels, pitch, image.data(), 24, 24, 4, cudaMemcpyHostToDevice);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = pixels;
  what.res.pitch2D.desc = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
  what.res.pitch2D.width = 6, what.res.pitch2D.height = 4, what.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t as_float, as_bytes;
  cudaCreateTextureObject(&as_float, &what, &how, nullptr);
  how.readMode = cudaReadModeElementType;
  cudaCreateTextureObject(&as_bytes, &what, &how, nullptr);
  std::vector<float> x(24), y(24);
  for (int i = 0; i < 24; i++) x[i] = i % 6 + 0.5f, y[i] = i / 6 + 0.5f;
  float *dx = device(x), *dy = device(y);
  float4* floats;
  uchar4* bytes;
  cudaMalloc(&floats, 24 * sizeof(float4));
  cudaMalloc(&bytes, 24 * sizeof(uchar4));
  fetch_2d<float4><<<1, 32>>>(as_float, dx, dy, floats, 24);
  fetch_2d<uchar4><<<1, 32>>>(as_bytes, dx, dy, bytes, 24);
  auto f = host(floats, 24);
  auto b = host(bytes, 24);
  for (int i = 0; i < 24; i++) {
    expect("normalised red", i, f[i].x, image[i].x / 255.0, 1e-6);
    expect("normalised green", i, f[i].y, image[i].y / 255.0, 1e-6);
    expect("byte of alpha", i, b[i].w, 7, 0);
    expect("byte of red", i, b[i].x, image[i].x, 0);
  }
}

static void linear_memory() {
  std::vector<int2> pairs(20);
  std::vector<short> shorts(20);
  for (int i = 0; i < 20; i++) pairs[i] = make_int2(-i, i * i), shorts[i] = short(i * 1000 - 9000);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = device(pairs);
  what.res.linear.desc = cudaCreateChannelDesc<int2>();
  what.res.linear.sizeInBytes = 160;
  cudaTextureDesc how = {};
  cudaTextureObject_t t, s;
  cudaCreateTextureObject(&t, &what, &how, nullptr);
  what.res.linear.devPtr = device(shorts);
  what.res.linear.desc = cudaCreateChannelDesc<short>();
  what.res.linear.sizeInBytes = 40;
  how.readMode = cudaReadModeNormalizedFloat;
  cudaCreateTextureObject(&s, &what, &how, nullptr);
  int2* out;
  float* floats;
  cudaMalloc(&out, 24 * sizeof(int2));
  cudaMalloc(&floats, 96);
  fetch_linear<int2><<<1, 32>>>(t, out, 24);
  fetch_linear<float><<<1, 32>>>(s, floats, 24);
  auto got = host(out, 24);
  auto f = host(floats, 24);
  for (int i = 0; i < 24; i++) {
    bool is_inside = i >= 2 && i < 22;
    expect("linear x", i, got[i].x, is_inside ? 2 - i : 0, 0);
    expect("linear y", i, got[i].y, is_inside ? (i - 2) * (i - 2) : 0, 0);
    expect("linear short", i, f[i], is_inside ? std::fmax(shorts[i - 2] / 32767.0, -1.0) : 0, 1e-6);
  }
}

static void errors() {
  cudaResourceDesc what = {};
  cudaTextureDesc how = {};
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 4, 4);
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  how.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t t;
  if (cudaCreateTextureObject(&t, &what, &how, nullptr) != cudaErrorInvalidFilterSetting) failures++;
  what.resType = cudaResourceTypeLinear;
  cudaMalloc(&what.res.linear.devPtr, 64);
  what.res.linear.desc = format;
  what.res.linear.sizeInBytes = 68;
  if (cudaCreateTextureObject(&t, &what, &how, nullptr) != cudaErrorInvalidValue) failures++;
  cudaExtent extent;
  cudaArrayGetInfo(&format, &extent, nullptr, array);
  if (extent.width != 4 || extent.height != 4 || extent.depth != 0 || format.x != 32) failures++;
  cudaGetLastError();
}

int main() {
  arrays();
  pitched_bytes();
  linear_memory();
  errors();
  cudaError_t error = cudaDeviceSynchronize();
  printf("textures %s %s\n", failures || error ? "FAIL" : "PASS", cudaGetErrorString(error));
}
