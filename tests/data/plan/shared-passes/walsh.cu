// kernel=butterfly line=9 finding=KO102
template <typename T>
__global__ void butterfly(T* w, const unsigned half, unsigned pairs)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    unsigned i = (p / half) * (2 * half) + p % half;
    T a = w[i];
    T b = w[i + half];
    w[i] = a + b;
    w[i + half] = a - b;
}

void spectrum(int *dw, unsigned n)
{
    const int block = 256;
    unsigned pairs = n / 2;
    for (unsigned half = 1; half < n; half *= 2) {
        butterfly<int><<<(pairs + block - 1) / block, block>>>(dw, half, pairs);
        ok(cudaGetLastError(), "butterfly");
    }
}
