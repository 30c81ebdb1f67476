#include <torch/extension.h>

// rotates pairs (i, i + HEAD_DIM / 2) of each head
__global__ void rope_kernel(float *q, int heads) {
	int h = blockIdx.x, i = threadIdx.x;
	if (h >= heads) return;
	float a = q[h*HEAD_DIM+i], b = q[h*HEAD_DIM+i+HEAD_DIM/2];
	float angle = h * powf(10000.f, -2.f * i / HEAD_DIM);
	q[h*HEAD_DIM+i] = a*cosf(angle) - b*sinf(angle);
	q[h*HEAD_DIM+i+HEAD_DIM/2] = a*sinf(angle) + b*cosf(angle);
}
torch::Tensor rope(torch::Tensor q) {
	q = q.clone();
	rope_kernel<<<q.size(0), HEAD_DIM / 2>>>(q.data_ptr<float>(), q.size(0));
	return q;
}
