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
    if (i > last)
        return;
    for (int j = first; j <= last; ++j) {
        const Charge &other = c[j];
        float dx = other.at.x - c[i].at.x;
        sum += strength[j] * other.q / (dx * dx + 1.0f) * (other.kind == c[i].kind ? -1 : 1);
    }
    out[i] = sum;
}

void run(const Charge *c, const float *strength, float *out, int n)
{
    energy<float><<<(n + 255) / 256, 256>>>(c, strength, out, 0, n - 1);
}
