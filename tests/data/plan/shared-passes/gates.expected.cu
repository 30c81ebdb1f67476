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

// The passes of hgate whose pairs lie in a block's tile, one after the other in shared memory.
__global__ void hgate_tile(amp_t *__restrict__ re, amp_t *__restrict__ im)
{
        __shared__ amp_t re_tile[2 * 256];
        __shared__ amp_t im_tile[2 * 256];
        const u64 tid = (u64)blockIdx.x*blockDim.x+threadIdx.x;
        const u64 first = 2 * (tid - threadIdx.x);
        re_tile[threadIdx.x] = re[first + threadIdx.x];
        re_tile[threadIdx.x + blockDim.x] = re[first + threadIdx.x + blockDim.x];
        im_tile[threadIdx.x] = im[first + threadIdx.x];
        im_tile[threadIdx.x + blockDim.x] = im[first + threadIdx.x + blockDim.x];
        for (int target = 0; target <= 8; ++target) {
                __syncthreads();
                const u64 mask=(1ull<<target)-1;
                const u64 a=((tid&~mask)<<1)|(tid&mask);
                const u64 b=a|(1ull<<target);
                const amp_t s=0.70710678118654752440;
                amp_t ra=re_tile[a - first],ia=im_tile[a - first],rb=re_tile[b - first],ib=im_tile[b - first];
                re_tile[a - first]=s*(ra+rb); im_tile[a - first]=s*(ia+ib);
                re_tile[b - first]=s*(ra-rb); im_tile[b - first]=s*(ia-ib);
        }
        __syncthreads();
        re[first + threadIdx.x] = re_tile[threadIdx.x];
        re[first + threadIdx.x + blockDim.x] = re_tile[threadIdx.x + blockDim.x];
        im[first + threadIdx.x] = im_tile[threadIdx.x];
        im[first + threadIdx.x + blockDim.x] = im_tile[threadIdx.x + blockDim.x];
}

void all_h(amp_t *re, amp_t *im, int q)
{
        const u64 np=1ull<<(q-1);
        const int tpb=256;
        for(int t=0;t<q;++t){
                // the pairs of the first passes lie in a block's tile
                if (t == 0 && 8<q && np % tpb == 0) {
                        hgate_tile<<<(unsigned)((np+tpb-1)/tpb),tpb>>>(re, im);
                        check(cudaGetLastError());
                        t = 8;
                        continue;
                }
                hgate<<<(unsigned)((np+tpb-1)/tpb),tpb>>>(re,im,np,t);
                check(cudaGetLastError());
        }
}
