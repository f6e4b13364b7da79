// What looks precalculable and is not, or is not what it looks like; tests/cuda_source/test_source.c says what the analyzer finds.
typedef const int *Array;

struct Pair {
	int x, y;
	unsigned bits : 3;
};
struct Base {
	int x;
};
struct Derived : Base {
	int x;
};
struct Grid {
	Array cells;
	int width;
};
union Word {
	int whole;
	unsigned short half[2];
};
struct Guard {
	int &of;
	__device__ Guard(int &i) : of(i) { i += 2; }
};

__device__ int twice(int i) { return 2 * i; }
__device__ int &choose(int c, int &a, int &b)
{
	if (c > 2)
		return a;
	return b;
}
__device__ int add(int i, int by = 2) { return i + by; }
template <class T> __device__ T element(const T *of, int i) { return of[i]; }

__global__ void aliases(Array a, int *out, int n)
{
	int t = threadIdx.x, i = t, j = t, *p = &i;
	*p = 7;
	out[0] = a[i];
	*(n > 2 ? &i : &j) = 3;
	out[0] = a[j];
	int k = t, l = t;
	int &either = n > 2 ? k : l;
	either = 4;
	out[0] = a[k];
	int m = t, o = t;
	(n > 2 ? m : o) = 4;
	out[0] = a[m];
	int q = t, *list[2] = {&q, &q};
	*list[n] = 5;
	out[0] = a[q];
	int r = t;
	*(short *)&r = 1;
	out[0] = a[r];
	int s = t, u = t;
	choose(n, s, u) = 3;
	out[0] = a[u];
	int v = t;
	Guard guard(v);
	out[0] = a[v];
	int w = t;
	++(w = 3);
	out[0] = a[w];
	int x = t;
	(unsigned &)x += 3;
	out[0] = a[x];
	int y = t;
	y = threadIdx.x;
	const long long &copy = y;
	y++;
	out[0] = a[copy];
	int (*f)(int) = twice;
	out[0] = a[f(i)];
	int z = t;
	struct {
		int &of;
	} held = {z};
	held.of = 5;
	out[0] = a[z];
}

__global__ void lambdas(Array a, int *out)
{
	int i = threadIdx.x, j = i;
	auto own = [=]() mutable { return j += 5; };
	out[0] = own();
	out[0] = a[j];
	auto shared = [&] { i += 5; };
	shared();
	out[0] = a[i];
}

__global__ void narrow(Array a, int *out, int n)
{
	int t = threadIdx.x;
	unsigned char k = 250;
	k += 10;
	out[0] = a[k];
	k += t;
	out[0] = a[k];
	short s = t;
	s++;
	out[0] = a[s];
	for (unsigned char c = 250; c != 4; c += 2)
		out[0] = a[c];
	out[0] = a[(bool)t];
	Pair pair = {1, 2, 3};
	pair.bits = 9;
	out[0] = a[pair.bits];
	Word word;
	word.whole = t;
	word.half[1] = 0;
	out[0] = a[word.whole];
	int m = -8;
	m /= 2u;
	out[0] = a[m - 0x7ffffff0];
	out[0] = a[(-1u >> 1) - 0x7ffffff0];
	enum { HUGE = 0x7fffffff };
	out[0] = a[0xffffffffffffffffull / 2 > 5];
}

__global__ void members(Array a, int *out, Grid grid)
{
	Derived both;
	both.x = 3;
	both.Base::x = 7;
	out[0] = a[both.x];
	Grid copy = grid;
	copy.width = 7;
	Grid again = copy;
	out[0] = a[again.width];
	Grid before = grid;
	grid.width++;
	out[0] = a[before.width];
	out[0] = a[grid.width];
	Pair pair = {1, 2, 3};
	pair.x = threadIdx.x;
	auto &[x, y, bits] = pair;
	x = 4;
	out[0] = a[pair.x];
	Pair *at = &pair;
	at->y = 6;
	out[0] = a[pair.y];
}

__global__ void names(Array a, int *out)
{
	struct {
		int x;
	} blockDim;
	blockDim.x = 3;
	out[0] = a[blockDim.x];
	__shared__ uint3 threadIdx;
	threadIdx.x = 1;
	out[0] = a[threadIdx.x];
	static int kept = 3;
	kept++;
	out[0] = a[kept];
}

__global__ void control(Array a, int *out, int n)
{
	int j = 2, k = 2, l = 2, m = 2;
	n ?: (j = 7);
	out[0] = a[j];
	if (n and ++k)
		n = 3;
	out[0] = a[k];
	l and_eq 3;
	out[0] = a[l];
	if (int i = n; i > 2)
		m += i;
	out[0] = a[m];
	out[0] = a[add(n)];
	int i = 0, restored = 0;
	while (++restored < n) {
		i++;
		restored--;
		if (i > 5)
			break;
	}
	out[0] = a[restored];
	i = 0;
	while (int left = n - i) {
		out[0] = a[left];
		i++;
	}
	for (char c = ';'; c < 'A'; c++)
		out[0] = c;
	int c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0, c9 = 0;
	for (int step = 0; step < n; step++) {
		out[0] = a[c9];
		c9 = c8, c8 = c7, c7 = c6, c6 = c5, c5 = c4, c4 = c3, c3 = c2, c2 = c1, c1 = c0, c0 = step;
	}
}

__global__ void jump_into(Array a, int *out, int n)
{
	int i = 2;
	switch (n) {
		do {
		case 0:
			i++;
		case 1:
			i += 2;
		} while (i < n);
	}
	out[0] = a[i];
}

template <class T> __global__ void generic(const T *a, const double *b, T n, int *out)
{
	unsigned char k = 250;
	T wraps = k;
	wraps += 10;
	out[0] = a[wraps];
	out[0] = a[n + threadIdx.x];
	out[0] = element(b, threadIdx.x);
}

__global__ void wraps(Array a, int *out, int n, unsigned u, size_t s)
{
	unsigned t = threadIdx.x;
	out[0] = a[t - 5u];
	out[1] = a[(int)(t - 5u)];
	out[2] = a[(t - 5u) + 5u];
	out[3] = a[(long long)(t - 5u) + 5];
	int signed_place = t - 1;
	out[4] = a[signed_place];
	out[5] = *(a + (t - u));
	out[6] = a[s - 5];
	out[7] = a[__mul24(t, n)];
	for (unsigned i = 0; i < u - 9; i++)
		out[8] = a[i];
	for (unsigned i = 5; i != u; i++)
		out[9] = a[i];
	for (unsigned i = 0; i != u; i += 4)
		out[10] = a[i];
	for (int i = 0; i < (int)u - 9; i++)
		out[11] = a[i];
	for (const int *p = a; p < a + u; p++)
		out[12] = *p;
}
