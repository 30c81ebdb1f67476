// kernel=peak line=4 finding=KO110
template <typename T> __global__ void peak(const T *a, T *top, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(top, a[i]);
}

void run(int *a, int *top, unsigned *b, unsigned *crest, int n) {
    peak<<<(n + 255) / 256, 256>>>(a, top, n);
    peak<<<(n + 255) / 256, 256>>>(b, crest, n);
}
