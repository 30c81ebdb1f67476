// 5x5 box blur of a gray picture, then threshold
#include <stdio.h>
#include <stdlib.h>
typedef unsigned char uchar;
#define R 2
#define DIVUP(a,b) (((a)+(b)-1)/(b))
#define RUN2D(kern, w, h, ...) kern<<<dim3(DIVUP(w,32),DIVUP(h,8)), dim3(32,8)>>>(__VA_ARGS__)

__device__ int clampi(int v,int lo,int hi){ return v<lo?lo:(v>hi?hi:v); }

__global__ void blur(const uchar *src, uchar *dst, int w, int h){
    int x = blockIdx.x*blockDim.x+threadIdx.x;
    int y = blockIdx.y*blockDim.y+threadIdx.y;
    if(x>=w||y>=h) return;
    int s=0;
    for(int dy=-R;dy<=R;dy++)
        for(int dx=-R;dx<=R;dx++)
            s+=src[clampi(y+dy,0,h-1)*w+clampi(x+dx,0,w-1)];
    dst[y*w+x]=(uchar)(s/((2*R+1)*(2*R+1)));
}
__global__ void threshold(uchar *img, int n, int t){
    int i = blockIdx.x*blockDim.x+threadIdx.x;
    if(i<n) img[i] = img[i]>t ? 255 : 0;
}
int main(int argc,char**argv){
    int w=argc>1?atoi(argv[1]):333,h=argc>2?atoi(argv[2]):211;
    uchar *a=(uchar*)malloc(w*h),*da,*db;
    for(int i=0;i<w*h;i++) a[i]=(uchar)((i*37+(i/w)*11)%251);
    cudaMalloc(&da,w*h); cudaMalloc(&db,w*h);
    cudaMemcpy(da,a,w*h,cudaMemcpyHostToDevice);
    RUN2D(blur,w,h,da,db,w,h);
    threshold<<<DIVUP(w*h,256),256>>>(db,w*h,120);
    cudaMemcpy(a,db,w*h,cudaMemcpyDeviceToHost);
    long s=0; for(int i=0;i<w*h;i++) s+=a[i];
    printf("%ld\n",s);
    cudaFree(da); cudaFree(db); free(a);
    return 0;
}
