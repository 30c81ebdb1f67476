#include <cstdio>
#include "kernels.cu"

#define N 300

int main()
{
    static pt hp[N], hq[N]; static float ho[N];
    for(int i=0;i<N;i++){ hp[i].x=i; hp[i].y=2*i; hq[i].x=i+3; hq[i].y=2*i-4; }
    pt *p,*q; float *o;
    cudaMalloc(&p,sizeof hp); cudaMalloc(&q,sizeof hq); cudaMalloc(&o,sizeof ho);
    cudaMemcpy(p,hp,sizeof hp,cudaMemcpyHostToDevice);
    cudaMemcpy(q,hq,sizeof hq,cudaMemcpyHostToDevice);
    run_dist2(p,q,o,N);
    cudaMemcpy(ho,o,sizeof ho,cudaMemcpyDeviceToHost);
    int bad=0;
    for(int i=0;i<N;i++) if(ho[i]!=25.f) bad++;
    printf("dist2 bad=%d\n",bad);
    cudaFree(p);cudaFree(q);cudaFree(o);
    return bad;
}
