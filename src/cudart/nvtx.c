/* nvtx: the ranges that programs mark with NVTX. The functions of include/cuda/nvtx3/nvToolsExt.h call these, when the
 * program has this runtime. They do not open the machine: a program may mark ranges before it uses CUDA.
 *
 * Domains and registered strings have no contents except their text, so one handle serves all registrations of it. */
#include "base/arena.h"
#include "sluice.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* As nvtxMessageType_t. */
enum message { MESSAGE_ASCII = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

/* A domain or a registered string. Its handle points to it. */
struct nvtx_text {
	char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *texts; /* a tree for tsearch() */

static int compare(const void *one, const void *other)
{
	return strcmp(((const struct nvtx_text *)one)->text, ((const struct nvtx_text *)other)->text);
}

static char *add_code(char *to, uint32_t code)
{
	enum { REPLACEMENT = 0xfffd };
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		code = REPLACEMENT;
	int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
	*to++ = (char)(first[more] | code >> 6 * more);
	while (more-- > 0)
		*to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
	return to;
}

/* Returns UTF-8 in any locale. */
static char *narrow(const wchar_t *wide)
{
	char *text = base_malloc(4 * wcslen(wide) + 1), *to = text;
	for (; *wide; wide++)
		to = add_code(to, (uint32_t)*wide);
	*to = '\0';
	return text;
}

/* Returns the text of a message, from malloc. Without a message it is empty. */
static char *text_of(int type, const void *message)
{
	if (message && type == MESSAGE_ASCII)
		return base_strdup(message);
	if (message && type == MESSAGE_WIDE)
		return narrow(message);
	if (message && type == MESSAGE_REGISTERED)
		return base_strdup(((const struct nvtx_text *)message)->text);
	return base_strdup("");
}

static const char *domain_text(const void *domain)
{
	return domain ? ((const struct nvtx_text *)domain)->text : NULL;
}

/* Only programs call these, with the declarations in the header. */
int sluice_nvtx_push(const void *domain, int type, const void *message);
int sluice_nvtx_pop(const void *domain);
uint64_t sluice_nvtx_start(const void *domain, int type, const void *message);
void sluice_nvtx_end(uint64_t range);
void *sluice_nvtx_handle(int type, const void *message);

int sluice_nvtx_push(const void *domain, int type, const void *message)
{
	char *text = text_of(type, message);
	int level = sluice_range_push(domain_text(domain), text);
	free(text);
	return level;
}

int sluice_nvtx_pop(const void *domain)
{
	return sluice_range_pop(domain_text(domain));
}

uint64_t sluice_nvtx_start(const void *domain, int type, const void *message)
{
	char *text = text_of(type, message);
	uint64_t range = sluice_range_start(domain_text(domain), text);
	free(text);
	return range;
}

void sluice_nvtx_end(uint64_t range)
{
	sluice_range_end(range);
}

/* Returns the handle of a domain or of a registered string. */
void *sluice_nvtx_handle(int type, const void *message)
{
	struct nvtx_text *entry = base_malloc(sizeof *entry);
	entry->text = text_of(type, message);
	pthread_mutex_lock(&lock);
	struct nvtx_text *found = *(struct nvtx_text **)tsearch(entry, &texts, compare);
	pthread_mutex_unlock(&lock);
	if (found != entry) {
		free(entry->text);
		free(entry);
	}
	return found;
}
