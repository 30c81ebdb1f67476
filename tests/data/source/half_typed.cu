namespace work {

__device__ float helper(float x) { return x * x; }

__global__ void first(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x
    if (i < n) p[i] = helper(p[i]);
}

__global__ void second(float *p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        p[i] = 

template <typename T>
__global__ void third(T *p)
{
    printf("half a string);
    p[0] = 1;
}

}  // namespace work

int main()
{
    work::first<<<1, 32>>>(nullptr, 0);
    work::third<float><<<1,
    work::second<<<2, 64>>>(nullptr, 0);
    return 0;
}
