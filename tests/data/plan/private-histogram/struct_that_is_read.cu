// kernel=bill line=8 finding=KO110
struct Account { float owed; int orders; float limit; };

__global__ void bill(const int *who, const float *sum, int n, Account *accounts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Account &mine = accounts[who[i]];
    atomicAdd(&mine.owed, fminf(sum[i], mine.limit));
}

void run(const int *who, const float *sum, int n, int people) {
    Account *accounts;
    cudaMalloc(&accounts, people * sizeof(Account));
    cudaMemset(accounts, 0, people * sizeof(Account));
    bill<<<(n + 127) / 128, 128>>>(who, sum, n, accounts);
}
