// kernel=scaleChunk line=13 finding=KO101
#include <cstdio>
#include <vector>


#define CHUNK 13

__global__ void scaleChunk(const float*src,float*dst,int workers){
  const int t=blockDim.x*blockIdx.x+threadIdx.x;
  if(t>=workers)return;
  for(int k=0;k<CHUNK;k++){
    const int e=t*CHUNK+k;  // element
    float v=src[e];
    dst[e]=v+v;
  }
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    const int workers = rows * cols / CHUNK;
    scaleChunk<<<(workers + 127) / 128, 128>>>(in, out, workers);
    cudaMemcpy(r.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != 2.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
