// kernel=applyCurve line=9 finding=KO101
#define LEVELS 1024

__global__ void applyCurve(const unsigned short *image, const float *curve, float *__restrict__ out, int n)
{
  int stride = gridDim.x * blockDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
  {
    out[i] = curve[image[i] >> 6];
  }
}

void run(const unsigned short *image, const float *hostCurve, float *out, int n)
{
  float *curve;
  cudaMalloc((void **)&curve, LEVELS * sizeof(float));
  cudaMemcpy(curve, hostCurve, LEVELS * sizeof(float), cudaMemcpyHostToDevice);
  applyCurve<<<128, 256>>>(image, curve, out, n);
}
