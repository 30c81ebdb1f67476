// kernel=blend line=5 finding=KO113
// A library: the callers of `blendImages` are in other files.
__global__ void blend(unsigned char *out, unsigned char *a, unsigned char *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (a[i] + b[i]) / 2;
}

void blendImages(unsigned char *out, unsigned char *a, unsigned char *b, int n) {
    blend<<<(n + 255) / 256, 256>>>(out, a, b, n);
}
