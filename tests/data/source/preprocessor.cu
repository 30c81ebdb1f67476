#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#if __CUDA_ARCH__ >= 600
__global__ void accumulate(real *sum, const real *in, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(sum, in[i]);
}
#else
__global__ void accumulate(real *sum, const real *in, int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n; ++i) *sum += in[i];
}
#endif

/* a kernel in a comment: __global__ void commented(int *p) {} */
static const char *text = "__global__ void quoted(int *p) { p<<<1, 1>>>(); }";
static const char *raw = R"cuda(
extern "C" __global__ void embedded(float *p) { p[0] = 1; }
)cuda";
const long grouped = 1'000'000;

__global__ void declared_only(real *p);
__global__ void declared_only(real *p) { *p = grouped; }
