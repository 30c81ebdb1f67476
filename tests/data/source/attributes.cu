#define BOUNDS(threads) __launch_bounds__(threads)
#define HD __host__ __device__
#define KERNEL extern "C" __global__ void
#define FORCE_INLINE inline

HD float half_of(float x) { return 0.5f * x; }
FORCE_INLINE __device__ float twice(float x) { return 2 * x; }

__launch_bounds__(128) __global__ void bounds_first(float *p) { p[threadIdx.x] = half_of(p[threadIdx.x]); }
__global__ __launch_bounds__(128, 2) void bounds_before_void(float *p) { *p = twice(*p); }
__global__ void __launch_bounds__(64 * 2) bounds_after_void(float *p) { *p = 0; }
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256) clustered(float *p) { *p = 1; }
__global__ void __maxnreg__(64) few_registers(float *p) { *p = 1; }
__global__ void BOUNDS(256) macro_bounds(float *p) { *p = 2; }
KERNEL hidden_by_macro(float *p) { *p = 3; }
extern "C" __global__
void
on_three_lines(float *__restrict a,
               const __grid_constant__ int n) { a[n] = 0; }
__attribute__((used)) static __global__ void with_attribute(int *) {}

__global__ void dynamic_shared(float *p)
{
    extern __shared__ __align__(16) unsigned char raw[];
    __shared__ __align__(8) double sums[4];
    float *values = reinterpret_cast<float *>(raw);
    values[threadIdx.x] = p[threadIdx.x];
    sums[0] = values[0];
}
