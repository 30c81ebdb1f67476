// kernel=widest line=2 finding=KO118
__global__ void widest(const double* e,int n,double* o){ double m=0;
    const bool aligned = reinterpret_cast<size_t>(e) % 16 == 0;
    const int vector_end = aligned ? n - n % 2 : 0;
    for (int first = threadIdx.x * 2; first < vector_end; first += blockDim.x * 2) {
        alignas(16) double e2[2];
        *reinterpret_cast<double2 *>(e2) = *reinterpret_cast<const double2 *>(e + first);
        #pragma unroll
        for (int k = 0; k < 2; ++k)
            m=fmax(m,e2[k]);
    }
    for(int i=vector_end + threadIdx.x;i<n;i+=blockDim.x) m=fmax(m,e[i]);
    for(int d=16;d>0;d/=2) m=fmax(m,__shfl_down_sync(0xffffffff,m,d)); if(threadIdx.x==0) *o=m; }
void run(const double* e,int n,double* o){ widest<<<1,32>>>(e,n,o); }
