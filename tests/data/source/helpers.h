// A device function in an included file.
__device__ inline float helped(const float *from, int i)
{
	return from[2 + i];
}
