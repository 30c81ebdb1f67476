// Pairs of kernels that compute the same in another order: before_NAME and after_NAME. Not compiled by itself: benchmarks/false_alarms.py
// puts a type for STORED and what LOAD and STORE do with it.
__global__ void before_sum(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    REAL s = 0;
    for (int c = 0; c < cols; c++) s += LOAD(x[r * cols + c]);
    out[r] = STORE(s);
}
__global__ void after_sum(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    REAL s = 0, t = 0, u = 0, v = 0;
    int c = 0;
    for (; c + 3 < cols; c += 4) {
        s += LOAD(x[r * cols + c]);
        t += LOAD(x[r * cols + c + 1]);
        u += LOAD(x[r * cols + c + 2]);
        v += LOAD(x[r * cols + c + 3]);
    }
    for (; c < cols; c++) s += LOAD(x[r * cols + c]);
    out[r] = STORE((s + t) + (u + v));
}

// One number out of many: a tree in shared memory, and shuffles over what each thread has added up.
__global__ void before_total(STORED *out, const STORED *x, int n) {
    __shared__ REAL part[256];
    REAL s = 0;
    for (int i = threadIdx.x; i < n; i += 256) s += LOAD(x[i]);
    part[threadIdx.x] = s;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = STORE(part[0]);
}
__global__ void after_total(STORED *out, const STORED *x, int n) {
    __shared__ REAL part[8];
    REAL s = 0;
    int each = (n + 255) / 256, from = threadIdx.x * each;
    for (int i = from; i < from + each && i < n; i++) s += LOAD(x[i]);
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) s += part[w];
        out[0] = STORE(s);
    }
}

__global__ void before_dot(STORED *out, const STORED *x, const STORED *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    REAL s = 0;
    for (int c = 0; c < cols; c++) s += LOAD(x[r * cols + c]) * LOAD(y[c]);
    out[r] = STORE(s);
}
__global__ void after_dot(STORED *out, const STORED *x, const STORED *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    REAL s = 0;
    for (int c = cols - 1; c >= 0; c--) s = FMA(LOAD(x[r * cols + c]), LOAD(y[c]), s);
    out[r] = STORE(s);
}

__global__ void before_softmax(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const STORED *row = x + r * cols;
    REAL m = LOAD(row[0]), s = 0;
    for (int c = 1; c < cols; c++) m = m > LOAD(row[c]) ? m : LOAD(row[c]);
    for (int c = 0; c < cols; c++) s += EXP(LOAD(row[c]) - m);
    for (int c = 0; c < cols; c++) out[r * cols + c] = STORE(EXP(LOAD(row[c]) - m) / s);
}
__global__ void after_softmax(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const STORED *row = x + r * cols;
    REAL m = LOAD(row[0]), s = 1;
    for (int c = 1; c < cols; c++) {
        REAL v = LOAD(row[c]);
        if (v > m) {
            s = s * EXP(m - v) + 1;
            m = v;
        } else {
            s += EXP(v - m);
        }
    }
    REAL inverse = 1 / s;
    for (int c = 0; c < cols; c++) out[r * cols + c] = STORE(EXP(LOAD(row[c]) - m) * inverse);
}

__global__ void before_layernorm(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const STORED *row = x + r * cols;
    REAL mean = 0, v = 0;
    for (int c = 0; c < cols; c++) mean += LOAD(row[c]);
    mean /= cols;
    for (int c = 0; c < cols; c++) v += (LOAD(row[c]) - mean) * (LOAD(row[c]) - mean);
    REAL scale = 1 / SQRT(v / cols + REAL(1e-5));
    for (int c = 0; c < cols; c++) out[r * cols + c] = STORE((LOAD(row[c]) - mean) * scale);
}
__global__ void after_layernorm(STORED *out, const STORED *x, int rows, int cols) {
    const STORED *row = x + blockIdx.x * cols;
    int t = threadIdx.x;
    REAL mean = 0, v = 0;
    for (int c = t; c < cols; c += 32) mean += LOAD(row[c]);
    for (int d = 16; d > 0; d /= 2) mean += __shfl_xor_sync(0xffffffffu, mean, d);
    mean /= cols;
    for (int c = t; c < cols; c += 32) {
        REAL e = LOAD(row[c]) - mean;
        v = FMA(e, e, v);
    }
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    REAL scale = 1 / SQRT(v / cols + REAL(1e-5));
    for (int c = t; c < cols; c += 32) out[blockIdx.x * cols + c] = STORE((LOAD(row[c]) - mean) * scale);
}

__global__ void before_variance(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const STORED *row = x + r * cols;
    REAL mean = 0, v = 0;
    for (int c = 0; c < cols; c++) mean += LOAD(row[c]);
    mean /= cols;
    for (int c = 0; c < cols; c++) v += (LOAD(row[c]) - mean) * (LOAD(row[c]) - mean);
    out[r] = STORE(v / cols);
}
__global__ void after_variance(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const STORED *row = x + r * cols;
    REAL mean = 0, v = 0;
    for (int c = 0; c < cols; c++) {
        REAL d = LOAD(row[c]) - mean;
        mean += d / (c + 1);
        v = FMA(d, LOAD(row[c]) - mean, v);
    }
    out[r] = STORE(v / cols);
}

__global__ void before_stencil(STORED *out, const STORED *x, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (r < 1 || c < 1 || r >= rows - 1 || c >= cols - 1) return;
    const STORED *at = x + r * cols + c;
    out[r * cols + c] = STORE(REAL(0.5) * LOAD(at[0]) + REAL(0.125) * (LOAD(at[-cols]) + LOAD(at[cols]) + LOAD(at[-1]) + LOAD(at[1])));
}
__global__ void after_stencil(STORED *out, const STORED *x, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (r < 1 || c < 1 || r >= rows - 1 || c >= cols - 1) return;
    const STORED *at = x + r * cols + c;
    REAL s = (LOAD(at[-1]) + LOAD(at[1])) + (LOAD(at[-cols]) + LOAD(at[cols]));
    out[r * cols + c] = STORE(FMA(REAL(0.125), s, REAL(0.5) * LOAD(at[0])));
}

__global__ void before_matmul(STORED *out, const STORED *a, const STORED *b, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= rows) return;
    REAL s = 0;
    for (int k = 0; k < cols; k++) s += LOAD(a[r * cols + k]) * LOAD(b[k * rows + c]);
    out[r * rows + c] = STORE(s);
}
__global__ void after_matmul(STORED *out, const STORED *a, const STORED *b, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= rows) return;
    REAL s = 0, t = 0;
    for (int k = 0; k < cols; k += 2) {
        s = FMA(LOAD(a[r * cols + k]), LOAD(b[k * rows + c]), s);
        if (k + 1 < cols) t = FMA(LOAD(a[r * cols + k + 1]), LOAD(b[(k + 1) * rows + c]), t);
    }
    out[r * rows + c] = STORE(s + t);
}

__global__ void before_norm(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    REAL s = 0;
    for (int c = 0; c < cols; c++) s += LOAD(x[r * cols + c]) * LOAD(x[r * cols + c]);
    s = SQRT(s);
    for (int c = 0; c < cols; c++) out[r * cols + c] = STORE(LOAD(x[r * cols + c]) / s);
}
__global__ void after_norm(STORED *out, const STORED *x, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    REAL s = 0, t = 0;
    for (int c = 0; c + 1 < cols; c += 2) {
        s = FMA(LOAD(x[r * cols + c]), LOAD(x[r * cols + c]), s);
        t = FMA(LOAD(x[r * cols + c + 1]), LOAD(x[r * cols + c + 1]), t);
    }
    if (cols % 2) s = FMA(LOAD(x[r * cols + cols - 1]), LOAD(x[r * cols + cols - 1]), s);
    s = 1 / SQRT(s + t);
    for (int c = 0; c < cols; c++) out[r * cols + c] = STORE(LOAD(x[r * cols + c]) * s);
}
