// kernel=growth line=13 finding=KO119
const int SIZE = 1024;

// compound interest: what one unit of each day's money has become
__global__ void growth(double *rates, double *growth_of_block)
{
    __shared__ double grown[SIZE / 32];
    const int day = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + day;
    const double own = 1.0 + rates[i];
    double product = own;
    for (int offset = 1; offset < 32; offset *= 2) {
        double left = __shfl_up_sync(0xffffffff, product, offset);
        if (day % 32 >= offset)
            product *= left;
    }
    if (day % 32 == 31)
        grown[day / 32] = product;
    __syncthreads();
    if (day < 32) {
        double warps = grown[day];
        for (int offset = 1; offset < 32; offset *= 2) {
            double left = __shfl_up_sync(0xffffffff, warps, offset);
            if (day >= offset)
                warps *= left;
        }
        grown[day] = warps;
    }
    __syncthreads();
    if (day >= 32)
        product *= grown[day / 32 - 1];
    rates[i] = product - 1.0;
    if (day == 1023)
        growth_of_block[blockIdx.x] = product;
}

void run(double *rates, double *growth_of_block, int blocks) { growth<<<blocks, SIZE>>>(rates, growth_of_block); }
