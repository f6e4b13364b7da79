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
const int EDGES = 12, CASES = 256, ROW = 16, BALLS = 4;

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

// Returns the field in w: above 1 is inside, and a single ball is a sphere. x, y and z are its steepest descent, which
// points outside. A ball's w is its squared radius.
__host__ __device__ inline float4 field(const float4 *all, float3 at)
{
	float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
	for (int b = 0; b < BALLS; b++) {
		float x = at.x - all[b].x, y = at.y - all[b].y, z = at.z - all[b].z;
		float inverse = 1 / (x * x + y * y + z * z + 1e-3f), share = all[b].w * inverse;
		float value = share * share, slope = 4 * value * inverse;
		sum.x += slope * x;
		sum.y += slope * y;
		sum.z += slope * z;
		sum.w += value;
	}
	return sum;
}

// Volumes extend from -1 to 1.
__host__ __device__ inline float3 point(int x, int y, int z, int side)
{
	float cell = 2.0f / side;
	return make_float3(x * cell - 1, y * cell - 1, z * cell - 1);
}

__host__ __device__ inline float3 corner_at(int voxel, int c, int side)
{
	return point(voxel % side + (c & 1), voxel / side % side + (c >> 1 & 1), voxel / side / side + (c >> 2), side);
}

// Position, from 0 to 1, where the surface cuts an edge; interpolated from the field at the corners.
__host__ __device__ inline float crossing(const float4 *corner, int edge)
{
	float start = corner[edge_start(edge)].w;
	return (1 - start) / (corner[edge_end(edge)].w - start);
}

__host__ __device__ inline float3 vertex_of(const float4 *corner, int edge, int voxel, int side)
{
	float3 at = corner_at(voxel, edge_start(edge), side);
	float along = crossing(corner, edge) * (2.0f / side);
	(edge / 4 == 0 ? at.x : edge / 4 == 1 ? at.y : at.z) += along;
	return at;
}

__host__ __device__ inline float3 normal_of(const float4 *corner, int edge)
{
	float along = crossing(corner, edge);
	float4 start = corner[edge_start(edge)], end = corner[edge_end(edge)];
	return make_float3(start.x + along * (end.x - start.x), start.y + along * (end.y - start.y),
	                   start.z + along * (end.z - start.z));
}

__host__ __device__ inline int case_of(const float *volume, int voxel, int side)
{
	int row = side + 1, layer = row * row, inside = 0;
	const float *first = volume + voxel % side + row * (voxel / side % side) + layer * (voxel / side / side);
#pragma unroll
	for (int c = 0; c < 8; c++)
		inside |= (first[(c & 1) + (c >> 1 & 1) * row + (c >> 2) * layer] > 1) << c;
	return inside;
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
