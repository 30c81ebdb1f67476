struct Params { int n; float scale; };
typedef float (*unary)(float);

template <typename T, int N = 4, typename... Rest>
__global__ void all_kinds(const T *const __restrict__ a, float b[], float c[][32], float (*d)[8], float (&e)[4],
                          struct Params f, const Params &g, unsigned long long h = 3ull, void (*i)(int) = nullptr,
                          const float *const *j = 0, volatile int *k = nullptr, cuda::std::array<float *, 3> l = {},
                          float4 *__restrict m = nullptr /* the last, with a comment */, Rest... rest)
{
}

__global__ void none(void) {}
template <typename F>
__global__ void apply(F f, float *p, int n)
{
    int i = threadIdx.x;
    if (i < n) p[i] = f(p[i]);
}

void launch(float *p, int n)
{
    none<<<1, 1>>>();
    apply<<<n / 64, 64>>>([=] __device__(float x) { return x < 3 ? x : 3.f; }, p, n);
}
