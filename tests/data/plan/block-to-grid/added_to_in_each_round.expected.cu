// kernel=add_energy line=41 finding=KO111
#include <cstdio>
#include <cstdlib>
#define N 65536

__global__ void push(float *v, float dt)
{
    int i=blockIdx.x*blockDim.x+threadIdx.x;
    if(i<N) v[i]=v[i]*0.99f+dt;
}

__global__ void add_energy(const float *v, float *energy, float mass)
{
    __shared__ float part[256];
    float e=0;
    for(int i=blockIdx.x*256+threadIdx.x;i<N;i+=256*gridDim.x)
        e+=v[i]*v[i];
    part[threadIdx.x]=e;
    __syncthreads();
    for(int half=128;half>0;half/=2){
        if(threadIdx.x<half) part[threadIdx.x]+=part[threadIdx.x+half];
        __syncthreads();
    }
    if(threadIdx.x==0)
        atomicAdd(energy, 0.5f*mass*part[0]);
}

int main()
{
    float *v,*energy;
    cudaMalloc(&v,N*sizeof(float));
    cudaMalloc(&energy,sizeof(float));
    cudaMemset(energy,0,sizeof(float));
    float *h=(float*)malloc(N*sizeof(float));
    for(int i=0;i<N;i++) h[i]=(i%50)*0.1f;
    cudaMemcpy(v,h,N*sizeof(float),cudaMemcpyHostToDevice);
    dim3 one(64);
    dim3 threads(256);
    for(int step=0;step<3;step++){
        push<<<N/256,threads>>>(v,0.01f);
        add_energy<<<one,threads>>>(v,energy,2.0f);
    }
    float e;
    cudaMemcpy(&e,energy,sizeof(float),cudaMemcpyDeviceToHost);
    printf("%f\n",e);
}
