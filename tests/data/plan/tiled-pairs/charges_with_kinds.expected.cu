// kernel=energy line=16 finding=KO108
struct Charge {
    float3 at;
    float q;
    int kind;
};

template <typename T>
__global__ void energy(const Charge *c, const T *strength, T *out, int first, int last)
{
    int i = first + blockIdx.x * 256 + threadIdx.x;
    T sum = 0;
    const bool is_inside = i <= last;
    const int own_c_kind = is_inside ? c[i].kind : 0;
    __shared__ Charge c_tile[256];
    for (int tile = first; tile <= last; tile += 256) {
        const int item = tile + threadIdx.x;
        if (item <= last)
            c_tile[threadIdx.x] = c[item];
        __syncthreads();
        const int tile_end = tile + 256 < last + 1 ? tile + 256 : last + 1;
        if (is_inside)
            for (int j = tile; j < tile_end; ++j) {
                const Charge &other = c_tile[j - tile];
                float dx = other.at.x - c[i].at.x;
                sum += strength[j] * other.q / (dx * dx + 1.0f) * (other.kind == own_c_kind ? -1 : 1);
            }
        __syncthreads();
    }
    if (is_inside) out[i] = sum;
}

void run(const Charge *c, const float *strength, float *out, int n)
{
    energy<float><<<(n + 255) / 256, 256>>>(c, strength, out, 0, n - 1);
}
