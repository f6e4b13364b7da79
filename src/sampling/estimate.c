#include "sampling/estimate.h"

#include <math.h>

/* Student's t, 97.5 %, by degrees of freedom; interpolated linearly in 1 / freedom. */
static const struct {
	double freedom, t;
} student[] = {
	{1, 12.7062}, {2, 4.3027},  {3, 3.1824},  {4, 2.7764},  {5, 2.5706},  {6, 2.4469},  {7, 2.3646},
	{8, 2.3060},  {10, 2.2281}, {12, 2.1788}, {15, 2.1314}, {20, 2.0860}, {30, 2.0423}, {60, 2.0003},
};
enum { STUDENTS = sizeof student / sizeof *student };
static const double normal = 1.9600;

double estimate_student(double freedom)
{
	size_t above = 0;
	while (above < STUDENTS && student[above].freedom < freedom)
		above++;
	if (above == 0)
		return student[0].t;
	double low = 1 / student[above - 1].freedom, low_t = student[above - 1].t;
	double high = above < STUDENTS ? 1 / student[above].freedom : 0;
	double high_t = above < STUDENTS ? student[above].t : normal;
	return low_t + (high_t - low_t) * (low - 1 / freedom) / (low - high);
}

void estimate_add(struct estimate *sum, const struct estimate *part)
{
	sum->value += part->value;
	sum->variance += part->variance;
	sum->fourth += part->fourth;
	sum->unknown |= part->unknown;
}

/* The sum's degrees of freedom are Satterthwaite's. */
double estimate_error(const struct estimate *estimate)
{
	if (!(estimate->variance > 0))
		return 0;
	return estimate_student(estimate->variance * estimate->variance / estimate->fourth) * sqrt(estimate->variance);
}

static void set_error(struct estimate *estimate, double error, double freedom)
{
	estimate->variance = error * error;
	estimate->fourth = estimate->variance * estimate->variance / freedom;
}

static double rate(const struct estimate_member *member)
{
	return member->value / member->work;
}

/* The members between two simulated ones, or after the last. */
struct gap {
	double work;
	size_t members;
};

/* A stratum of n + 2 members has two known ones. The error is the standard error of their mean, corrected for a finite
 * population, times the work. */
static double close_gap(struct estimate_member *before, struct estimate_member *after, struct gap gap)
{
	double unknown = (double)gap.members / (double)(gap.members + 2);
	before->weight += gap.work / 2 / before->work;
	after->weight += gap.work / 2 / after->work;
	return gap.work * fabs(rate(after) - rate(before)) / 2 * sqrt(unknown);
}

/* A trend may continue after the last simulated member, so the error is the difference of the last two. */
static double close_end(const struct estimate_member *before, struct estimate_member *last, struct gap gap)
{
	last->weight += gap.work / last->work;
	return before ? gap.work * fabs(rate(last) - rate(before)) : 0;
}

struct estimate estimate_members(struct estimate_member *member, size_t count)
{
	struct estimate estimate = {0};
	struct estimate_member *before = NULL, *last = NULL;
	struct gap gap = {0};
	double error = 0;
	size_t simulated = 0;
	for (size_t i = 0; i < count; i++) {
		member[i].weight = member[i].simulated;
		if (!member[i].simulated) {
			gap.work += member[i].work;
			gap.members++;
			continue;
		}
		if (last)
			error += close_gap(last, &member[i], gap);
		else if (gap.members)
			member[i].weight += gap.work / member[i].work;
		before = last;
		last = &member[i];
		gap = (struct gap){0};
		simulated++;
	}
	if (last)
		error += close_end(before, last, gap);
	for (size_t i = 0; i < count; i++)
		estimate.value += member[i].weight * member[i].value;
	estimate.unknown = simulated < 2 && simulated < count;
	if (error > 0)
		set_error(&estimate, error, (double)(simulated - 1));
	return estimate;
}

struct estimate estimate_rest(const struct estimate_batch *batch, size_t count, double rest)
{
	struct estimate estimate = {.unknown = rest > 0 && count < 2};
	double cycles = 0, work = 0, squares = 0;
	for (size_t i = 0; i < count; i++) {
		cycles += batch[i].cycles;
		work += batch[i].work;
	}
	if (!(work > 0) || !(rest > 0))
		return estimate;
	estimate.value = rest * cycles / work;
	for (size_t i = 0; i < count; i++) {
		double off = batch[i].cycles - batch[i].work * cycles / work;
		squares += off * off;
	}
	double batches = rest * (double)count / work; /* number of batches left */
	if (count >= 2 && squares > 0)
		set_error(&estimate, batches * sqrt(squares / (double)(count - 1) * (1 / (double)count + 1 / batches)),
		          (double)(count - 1));
	return estimate;
}
