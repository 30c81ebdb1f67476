// kernel=hgate line=13 finding=KO102
typedef unsigned long long u64;
typedef double amp_t;

__global__ void hgate(amp_t *__restrict__ re, amp_t *__restrict__ im, u64 npairs, int target)
{
        const u64 tid = (u64)blockIdx.x*blockDim.x+threadIdx.x;
        if(tid>=npairs) return;
        const u64 mask=(1ull<<target)-1;
        const u64 a=((tid&~mask)<<1)|(tid&mask);
        const u64 b=a|(1ull<<target);
        const amp_t s=0.70710678118654752440;
        amp_t ra=re[a],ia=im[a],rb=re[b],ib=im[b];
        re[a]=s*(ra+rb); im[a]=s*(ia+ib);
        re[b]=s*(ra-rb); im[b]=s*(ia-ib);
}

void all_h(amp_t *re, amp_t *im, int q)
{
        const u64 np=1ull<<(q-1);
        const int tpb=256;
        for(int t=0;t<q;++t){
                hgate<<<(unsigned)((np+tpb-1)/tpb),tpb>>>(re,im,np,t);
                check(cudaGetLastError());
        }
}
