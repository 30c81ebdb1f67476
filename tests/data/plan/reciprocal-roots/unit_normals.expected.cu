// kernel=normalize line=11 finding=KO123
#include <cmath>
#include <cstdio>

struct Vec3 { float x, y, z; };

__global__ void normalize(Vec3 *normals, int count) {
	int i = threadIdx.x + blockIdx.x*blockDim.x;
	if (i < count) {
		Vec3 v = normals[i];
		float inv_len = rsqrtf(v.x*v.x + v.y*v.y + v.z*v.z);
		v.x *= inv_len;
		v.y *= inv_len;
		normals[i].x = v.x;
		normals[i].y = v.y;
		normals[i].z = v.z*inv_len;
	}
}

int main() {
	const int count = 1000;
	Vec3 *normals;
	cudaMallocManaged(&normals, count*sizeof(Vec3));
	for (int i = 0; i < count; i++) normals[i] = {0.5f + i%7, -1.0f*(i%5), 0.25f*(i%11)};
	normalize<<<(count + 255)/256, 256>>>(normals, count);
	cudaDeviceSynchronize();
	for (int i = 0; i < count; i++) {
		double x = 0.5 + i%7, y = -1.0*(i%5), z = 0.25*(i%11), len = sqrt(x*x + y*y + z*z);
		Vec3 v = normals[i];
		if (!(fabs(v.x - x/len) + fabs(v.y - y/len) + fabs(v.z - z/len) <= 1e-6)) return printf("FAIL %d\n", i), 1;
	}
	return puts("PASS"), 0;
}
