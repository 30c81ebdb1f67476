// CUB and Thrust for library_cub.py, which loads this as a shared library. Each function is called twice, as CUB's are: with `temporary`
// null it says in `bytes` how much temporary storage it needs. All answer a cudaError_t.

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reverse.h>

namespace {

// Of the suite's least_squares: x^0 to x^6, then y * x^0 to y * x^3.
struct Sums {
  double of[11];
};

struct Add {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
  __host__ __device__ Sums operator()(Sums a, const Sums &b) const {
    for (int k = 0; k < 11; ++k) a.of[k] += b.of[k];
    return a;
  }
};

struct Product {
  const float *u, *v;
  __host__ __device__ double operator()(int i) const { return u[i] * v[i]; }
};

struct SquaredDifference {
  const double *a, *b;
  __host__ __device__ double operator()(int i) const { return (a[i] - b[i]) * (a[i] - b[i]); }
};

struct Powers {
  __host__ __device__ Sums operator()(float2 sample) const {
    Sums sums;
    double power = 1, x = sample.x, y = sample.y;
    for (int k = 0; k < 7; ++k, power *= x) {
      sums.of[k] = power;
      if (k < 4) sums.of[7 + k] = y * power;
    }
    return sums;
  }
};

}  // namespace

#define ANSWER extern "C" __attribute__((visibility("default"))) int
#define CUB_ARGUMENTS void *temporary, size_t *bytes, cudaStream_t stream

ANSWER cub_sum(CUB_ARGUMENTS, const int *in, int *out, int n) {
  return cub::DeviceReduce::Sum(temporary, *bytes, in, out, n, stream);
}

ANSWER cub_dot(CUB_ARGUMENTS, const float *u, const float *v, double *out, int n) {
  thrust::counting_iterator<int> places(0);
  return cub::DeviceReduce::TransformReduce(temporary, *bytes, places, out, n, Add{}, Product{u, v}, 0.0, stream);
}

ANSWER cub_squares(CUB_ARGUMENTS, const double *a, const double *b, double *out, int n) {
  thrust::counting_iterator<int> places(0);
  return cub::DeviceReduce::TransformReduce(temporary, *bytes, places, out, n, Add{}, SquaredDifference{a, b}, 0.0, stream);
}

ANSWER cub_powers(CUB_ARGUMENTS, const float2 *samples, Sums *out, int n) {
  return cub::DeviceReduce::TransformReduce(temporary, *bytes, samples, out, n, Add{}, Powers{}, Sums{}, stream);
}

ANSWER cub_scan(CUB_ARGUMENTS, const int *in, int *out, int n) {
  return cub::DeviceScan::ExclusiveSum(temporary, *bytes, in, out, n, stream);
}

ANSWER cub_sort(CUB_ARGUMENTS, const int *in, int *out, int n) {
  return cub::DeviceRadixSort::SortKeys(temporary, *bytes, in, out, n, 0, 32, stream);
}

ANSWER cub_histogram(CUB_ARGUMENTS, const unsigned char *in, unsigned int *out, int n) {
  return cub::DeviceHistogram::HistogramEven(temporary, *bytes, in, out, 257, 0, 256, n, stream);
}

// Rows of `columns` scores with the places of each, sorted from the largest.
ANSWER cub_sort_rows(CUB_ARGUMENTS, const float *scores, float *sorted, const int *places, int *items, const int *starts, int rows, int columns) {
  return cub::DeviceSegmentedRadixSort::SortPairsDescending(
      temporary, *bytes, scores, sorted, places, items, rows * columns, rows, starts, starts + 1, 0, 32, stream);
}

ANSWER thrust_reverse(CUB_ARGUMENTS, float *values, int n) {
  *bytes = 1;
  if (temporary) thrust::reverse(thrust::cuda::par_nosync.on(stream), values, values + n);
  return cudaPeekAtLastError();
}
