// kernel=normals line=8 finding=KO123
struct Vec {
    float x, y, z;
};

__device__ Vec unit(Vec v)
{
    float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    Vec u = {v.x * s, v.y * s, v.z * s};
    return u;
}

__global__ void normals(Vec *out, const Vec *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = unit(in[i]);
}
