// kernel=first_negative line=12 finding=KO112
__global__ void first_negative(const int *x, int *where, int n)
{
    int seen = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) break;
        seen += 1;
    }
    *where = seen;
}

void run(int *x, int *w, int n) { first_negative<<<1, 1>>>(x, w, n); }
