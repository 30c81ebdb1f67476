// kernel=pull line=8 finding=KO108
__global__ void pull(const float *x, const float *mass, const int *wanted, float *force, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float a = 0;
    for (int j = 0; j < n; j++) {
        if (wanted[i] > j) a += mass[j] * (x[j] - a);
    }
    force[i] = a;
}

void run(const float *x, const float *mass, const int *wanted, float *force, int n) { pull<<<n / 128, 128>>>(x, mass, wanted, force, n); }
