// md5: the MD5 digests of many short messages, one block of 64 bytes each. Each thread hashes messages with its own
// numbers and combines the digests: 32-bit additions, rotations and logic without memory.
#include "sample.h"

const int THREADS = 256, STEPS = 64;

__constant__ unsigned device_sines[STEPS];

struct Digest {
	unsigned a, b, c, d;
};

__host__ __device__ inline unsigned rotate(unsigned x, int by)
{
	return x << by | x >> (32 - by);
}

__host__ __device__ inline int rotation(int step)
{
	const int by[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	return by[step / 16][step % 4];
}

// The message's word that a step adds.
__host__ __device__ inline int word_of(int step)
{
	return (step < 16 ? step : step < 32 ? 5 * step + 1 : step < 48 ? 3 * step + 5 : 7 * step) % 16;
}

__host__ __device__ inline unsigned mix(int step, unsigned b, unsigned c, unsigned d)
{
	return step < 16 ? (b & c) | (~b & d) : step < 32 ? (d & b) | (~d & c) : step < 48 ? b ^ c ^ d : c ^ (b | ~d);
}

__host__ __device__ inline Digest md5(const unsigned *sines, const unsigned (&message)[16])
{
	const Digest start = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
	Digest s = start;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (int i = 0; i < STEPS; i++) {
		unsigned sum = s.a + mix(i, s.b, s.c, s.d) + sines[i] + message[word_of(i)];
		s = {s.d, s.b + rotate(sum, rotation(i)), s.b, s.c};
	}
	return {s.a + start.a, s.b + start.b, s.c + start.c, s.d + start.d};
}

// Combines the digests of a thread's messages: 8 bytes, the thread's number and the message's.
__host__ __device__ inline unsigned hash(const unsigned *sines, unsigned thread, int messages)
{
	unsigned combined = 0;
	for (int i = 0; i < messages; i++) {
		unsigned message[16] = {thread, (unsigned)i, 0x80};
		message[14] = 64; // bits
		Digest digest = md5(sines, message);
		combined = rotate(combined, 1) ^ digest.a ^ digest.b ^ digest.c ^ digest.d;
	}
	return combined;
}

__global__ void hash_messages(unsigned *hashes, unsigned seed, int messages)
{
	unsigned thread = blockIdx.x * THREADS + threadIdx.x;
	hashes[thread] = hash(device_sines, thread ^ seed, messages);
}

// The digest of the empty message is known.
static bool is_md5(const unsigned *sines)
{
	unsigned message[16] = {0x80};
	Digest digest = md5(sines, message);
	return digest.a == 0xd98c1dd4u && digest.b == 0x04b2008fu && digest.c == 0x980980e9u && digest.d == 0x7e42f8ecu;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "md5");
	int blocks = arguments.number("blocks", 8, 80, 1056, "of 256 threads");
	int messages = arguments.number("messages", 8, 32, 256, "per thread");
	arguments.end();
	arguments.require(blocks > 0 && blocks <= 65535 && messages > 0, "blocks and messages");
	unsigned sines[STEPS], seed = (unsigned)arguments.seed();
	for (int i = 0; i < STEPS; i++)
		sines[i] = (unsigned)(long long)floor(fabs(sin(i + 1.0)) * 4294967296.0);
	CHECK(cudaMemcpyToSymbol(device_sines, sines, sizeof sines));
	program::Random random(seed);
	program::Array<unsigned> device_hashes((size_t)blocks * THREADS);
	hash_messages<<<blocks, THREADS>>>(device_hashes, seed, messages);
	CHECK(cudaGetLastError());

	std::vector<unsigned> hashes = device_hashes.read(), got, want;
	for (size_t at : sample::positions(hashes.size(), 2048, random)) {
		got.push_back(hashes[at]);
		want.push_back(hash(sines, (unsigned)at ^ seed, messages));
	}
	program::Verdict verdict("md5");
	verdict.require(is_md5(sines), "the digest of the empty message");
	verdict.equal("hashes", got, want);
	return verdict.status();
}
