// surface.h: definitions for host and device: a cube's corners and edges, the field, and where its surface cuts an
// edge. It also computes the table of the surface's triangles in a cube from the cube's topology.
#ifndef SLUICE_PROGRAMS_SURFACE_H
#define SLUICE_PROGRAMS_SURFACE_H

#include <cstddef>
#include <utility>
#include <vector>

typedef unsigned char Byte;

// A case is the set of corners inside. Each case has a row of the table with up to 15 edges, three per triangle, and
// their number in the last entry.
const int EDGES = 12, CASES = 256, ROW = 16;
const float WIDTH = 3, LEVEL = 0.2f;

// Corner c is at (c & 1, c >> 1 & 1, c >> 2). Edge e runs along axis e / 4 from edge_start to edge_end.
__host__ __device__ inline int edge_start(int edge)
{
	int rest = edge % 4, low = (1 << edge / 4) - 1;
	return (rest & low) | (rest & ~low) << 1;
}

__host__ __device__ inline int edge_end(int edge)
{
	return edge_start(edge) | 1 << edge / 4;
}

// The field of the tanglecube, x^4 - 5 x^2 + y^4 - 5 y^2 + z^4 - 5 z^2 + 11.8 over -3 to 3, in a volume from -1 to 1,
// scaled. Points whose value is below LEVEL are inside.
__host__ __device__ inline float value_at(float x, float y, float z)
{
	x *= WIDTH;
	y *= WIDTH;
	z *= WIDTH;
	float sum = x * x * x * x - 5 * x * x + y * y * y * y - 5 * y * y + z * z * z * z - 5 * z * z + 11.8f;
	return 0.2f * sum + 0.5f;
}

// Returns the field in w. x, y and z are its growth over a short step along each axis, which points outside.
__host__ __device__ inline float4 field(float3 at)
{
	const float step = 0.001f;
	float here = value_at(at.x, at.y, at.z);
	return make_float4(value_at(at.x + step, at.y, at.z) - here, value_at(at.x, at.y + step, at.z) - here,
	                   value_at(at.x, at.y, at.z + step) - here, here);
}

__host__ __device__ inline float3 point(int x, int y, int z, float cell)
{
	return make_float3(x * cell - 1, y * cell - 1, z * cell - 1);
}

// A volume has 2^bits voxels along each edge.
__host__ __device__ inline float3 corner_at(int voxel, int c, int bits)
{
	int side = 1 << bits, mask = side - 1;
	float cell = 2.0f / side;
	float3 at = point(voxel & mask, voxel >> bits & mask, voxel >> 2 * bits, cell);
	return make_float3(c & 1 ? at.x + cell : at.x, c & 2 ? at.y + cell : at.y, c & 4 ? at.z + cell : at.z);
}

struct Corners {
	float3 at[8];
	float4 field[8];
};

__host__ __device__ inline void evaluate(Corners &corners, int voxel, int bits)
{
#pragma unroll
	for (int c = 0; c < 8; c++) {
		corners.at[c] = corner_at(voxel, c, bits);
		corners.field[c] = field(corners.at[c]);
	}
}

// The set of corners inside.
__host__ __device__ inline int case_of(const Corners &corners)
{
	int inside = 0;
#pragma unroll
	for (int c = 0; c < 8; c++)
		inside |= (corners.field[c].w < LEVEL) << c;
	return inside;
}

// Position, from 0 to 1, where the surface cuts an edge; interpolated from the field at its ends.
__host__ __device__ inline float crossing(const Corners &corners, int edge)
{
	float start = corners.field[edge_start(edge)].w;
	return (LEVEL - start) / (corners.field[edge_end(edge)].w - start);
}

__host__ __device__ inline float3 vertex_of(const Corners &corners, int edge)
{
	float along = crossing(corners, edge);
	float3 start = corners.at[edge_start(edge)], end = corners.at[edge_end(edge)];
	return make_float3(start.x + along * (end.x - start.x), start.y + along * (end.y - start.y),
	                   start.z + along * (end.z - start.z));
}

__host__ __device__ inline float3 normal_of(const Corners &corners, int edge)
{
	float along = crossing(corners, edge);
	float4 start = corners.field[edge_start(edge)], end = corners.field[edge_end(edge)];
	return make_float3(start.x + along * (end.x - start.x), start.y + along * (end.y - start.y),
	                   start.z + along * (end.z - start.z));
}

inline int edge_between(int a, int b)
{
	int edge = 0;
	while ((edge_start(edge) != a || edge_end(edge) != b) && (edge_start(edge) != b || edge_end(edge) != a))
		edge++;
	return edge;
}

// Corners of a face, counter-clockwise seen from outside. Face 2 a is at 0 along axis a, face 2 a + 1 at 1.
inline std::vector<int> corners_of(int face)
{
	int axis = face / 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, far = 1 << axis;
	return face % 2 ? std::vector<int>{far, far | u, far | u | v, far | v} : std::vector<int>{0, v, u | v, u};
}

// On each face a line cuts off every run of corners inside, from the edge where the run begins to the edge where it
// ends. A run's end on one face is a run's beginning on the adjacent face, so that the lines join into closed polygons.
// A line depends only on the corners of its face, so the polygons of neighboring cubes fit together.
inline std::vector<int> lines_of(int inside)
{
	std::vector<int> next(EDGES, -1);
	for (int face = 0; face < 6; face++) {
		std::vector<int> ring = corners_of(face);
		for (int last = 0; last < 4; last++) {
			int after = (last + 1) % 4, first = last;
			if (!(inside >> ring[last] & 1) || inside >> ring[after] & 1)
				continue;
			while (inside >> ring[(first + 3) % 4] & 1)
				first = (first + 3) % 4;
			next[edge_between(ring[(first + 3) % 4], ring[first])] = edge_between(ring[last], ring[after]);
		}
	}
	return next;
}

// Cuts polygons into fans of triangles.
inline std::vector<Byte> make_triangles()
{
	std::vector<Byte> table(CASES * ROW);
	for (int inside = 0; inside < CASES; inside++) {
		std::vector<int> next = lines_of(inside);
		Byte *row = &table[inside * ROW], &count = row[ROW - 1];
		for (int first = 0; first < EDGES; first++) {
			std::vector<int> polygon;
			for (int edge = first; next[edge] >= 0;) {
				polygon.push_back(edge);
				edge = std::exchange(next[edge], -1);
			}
			for (size_t k = 2; k < polygon.size(); k++)
				for (int edge : {polygon[0], polygon[k - 1], polygon[k]})
					row[count++] = (Byte)edge;
		}
	}
	return table;
}

#endif
