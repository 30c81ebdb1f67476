// kernel=fftStage line=16 finding=KO102
constexpr int TPB = 128;

__global__ void fftStage(float2* __restrict__ x, const float2* __restrict__ tw, int n, int half)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n / 2) {
        int k = t & (half - 1);
        int lo = ((t - k) << 1) + k;
        int hi = lo + half;
        float2 w = tw[k * (n / 2 / half)];
        float2 a = x[lo], b = x[hi];
        float2 wb = make_float2(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
        x[lo] = make_float2(a.x + wb.x, a.y + wb.y);
        x[hi] = make_float2(a.x - wb.x, a.y - wb.y);
    }
}

void transform(float2 *d, const float2 *dtw, int n)
{
    int blocks = (n / 2 + TPB - 1) / TPB;
    for (int half = 1; half < n; half <<= 1)
        fftStage<<<blocks, TPB>>>(d, dtw, n, half);
}
