/* mistake: records invalid actions of mechanisms. The first mistake of each SM, of each L2 slice and of the
 * dispatcher is stored, and the machine stops. */
#include "seam/private.h"

#include <stdarg.h>
#include <stdio.h>

/* Hooks of the GPU run without other hooks. The exception is an SM's hook that calls a service of the GPU. That is
 * itself a mistake, and two threads can make it at once. */
static bool is_first(struct seam_mistake *mistake)
{
	return !__atomic_exchange_n(&mistake->made, true, __ATOMIC_RELAXED);
}

__attribute__((format(printf, 5, 0))) static void keep(struct seam_mistake *mistake, uint64_t cycle, const char *mech,
                                                       const char *where, const char *format, va_list arguments)
{
	if (!is_first(mistake))
		return;
	mistake->cycle = cycle;
	int length = snprintf(mistake->text, sizeof mistake->text, "mechanism %s, %s, cycle %llu: ", mech, where,
	                      (unsigned long long)mistake->cycle);
	if (length > 0 && (size_t)length < sizeof mistake->text)
		vsnprintf(mistake->text + length, sizeof mistake->text - (size_t)length, format, arguments);
}

void seam_wrong(const struct mech_sm *part, const char *format, ...)
{
	struct seam_sm *sm = part->host;
	struct seam_gpu *gpu = &sm->seam->gpu;
	char where[96];
	va_list arguments;
	snprintf(where, sizeof where, "hook %s, SM %u", gpu->hook ? gpu->hook : sm->hook, part->sm);
	va_start(arguments, format);
	keep(gpu->hook ? &gpu->mistake : &sm->mistake, gpu->hook ? *sm->seam->clock : sm->clock, part->mech->name,
	     where, format, arguments);
	va_end(arguments);
}

void seam_wrong_partition(const struct mech_partition *part, const char *format, ...)
{
	struct seam_partition *partition = part->host;
	char where[96];
	va_list arguments;
	snprintf(where, sizeof where, "hook %s, L2 slice %u", partition->hook, part->slice);
	va_start(arguments, format);
	keep(&partition->mistake, *partition->seam->clock_of_partitions, part->mech->name, where, format, arguments);
	va_end(arguments);
}

void seam_wrong_gpu(const struct mech_gpu *part, const char *format, ...)
{
	struct seam *seam = part->host;
	char where[96];
	va_list arguments;
	snprintf(where, sizeof where, "hook %s", seam->gpu.hook ? seam->gpu.hook : "of an SM");
	va_start(arguments, format);
	keep(&seam->gpu.mistake, *seam->clock, part->mech->name, where, format, arguments);
	va_end(arguments);
}

/* The earlier one of two mistakes, of which `first` may be NULL. In a tie it is `first`. */
static const struct seam_mistake *earlier(const struct seam_mistake *first, const struct seam_mistake *next)
{
	return next->made && (!first || next->cycle < first->cycle) ? next : first;
}

const struct seam_mistake *seam_mistake(const struct seam *seam)
{
	const struct seam_mistake *first = NULL;
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		first = earlier(first, &seam->sm[s].mistake);
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		first = earlier(first, &seam->partition[s].mistake);
	return earlier(first, &seam->gpu.mistake);
}
