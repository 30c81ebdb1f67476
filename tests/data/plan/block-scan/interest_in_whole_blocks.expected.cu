// kernel=growth line=13 finding=KO119
const int SIZE = 1024;

// compound interest: what one unit of each day's money has become
__global__ void growth(double *rates, double *growth_of_block)
{
    __shared__ double grown[SIZE / 64];
    const int day = threadIdx.x;
    const int first = (blockIdx.x * blockDim.x + day) * 2;
    const bool whole = reinterpret_cast<size_t>(rates) % 16 == 0;
    double own[2];
    if (whole) {
        alignas(16) double rates2[2];
        *reinterpret_cast<double2 *>(rates2) = *reinterpret_cast<const double2 *>(rates + first);
        #pragma unroll
        for (int k = 0; k < 2; ++k)
            own[k] = 1.0 + rates2[k];
    } else {
        #pragma unroll
        for (int k = 0; k < 2; ++k) {
            const int i = first + k;
            own[k] = 1.0 + rates[i];
        }
    }
    double product = own[0] * own[1];
    for (int offset = 1; offset < 32; offset *= 2) {
        double left = __shfl_up_sync(0xffffffff, product, offset);
        if (day % 32 >= offset)
            product *= left;
    }
    double running = __shfl_up_sync(0xffffffff, product, 1);
    if (day % 32 == 0)
        running = 1;
    if (day % 32 == 31)
        grown[day / 32] = product;
    __syncthreads();
    if (day < 32) {
        double warps = day < SIZE / 64 ? grown[day] : 1;
        for (int offset = 1; offset < 32; offset *= 2) {
            double left = __shfl_up_sync(0xffffffff, warps, offset);
            if (day >= offset)
                warps *= left;
        }
        if (day < SIZE / 64)
            grown[day] = warps;
    }
    __syncthreads();
    if (day >= 32)
        running *= grown[day / 32 - 1];
    alignas(16) double rates2[2];
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
        running *= own[k];
        rates2[k] = running - 1.0;
    }
    if (whole) {
        *reinterpret_cast<double2 *>(rates + first) = *reinterpret_cast<double2 *>(rates2);
    } else {
        #pragma unroll
        for (int k = 0; k < 2; ++k)
            rates[first + k] = rates2[k];
    }
    if (day == 511)
        growth_of_block[blockIdx.x] = running;
}

void run(double *rates, double *growth_of_block, int blocks) { growth<<<blocks, SIZE / 2>>>(rates, growth_of_block); }
