// kernel=growth line=13 finding=KO119
const int SIZE = 1024;

// compound interest: what one unit of each day's money has become
__global__ void growth(double *rates, double *growth_of_block)
{
    __shared__ double grown[SIZE];
    const int day = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + day;
    const double own = 1.0 + rates[i];
    grown[day] = own;
    __syncthreads();
    for (int d = 1; d < SIZE; d *= 2) {
        double other = 1;
        if (day >= d)
            other = grown[day - d];
        __syncthreads();
        grown[day] *= other;
        __syncthreads();
    }
    rates[i] = grown[day] - 1.0;
    if (day == 1023)
        growth_of_block[blockIdx.x] = grown[1023];
}

void run(double *rates, double *growth_of_block, int blocks) { growth<<<blocks, SIZE>>>(rates, growth_of_block); }
