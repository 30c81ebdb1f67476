// kernel=widest line=2 finding=KO118
__global__ void widest(const double* e,int n,double* o){ double m=0; for(int i=threadIdx.x;i<n;i+=blockDim.x) m=fmax(m,e[i]);
    for(int d=16;d>0;d/=2) m=fmax(m,__shfl_down_sync(0xffffffff,m,d)); if(threadIdx.x==0) *o=m; }
void run(const double* e,int n,double* o){ widest<<<1,32>>>(e,n,o); }
