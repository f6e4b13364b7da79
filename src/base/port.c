#include "base/port.h"

#include <stdlib.h>

void outbox_grow(struct outbox *outbox)
{
	outbox->capacity = outbox->capacity ? 2 * outbox->capacity : 64;
	outbox->message = base_realloc(outbox->message, outbox->capacity * sizeof *outbox->message);
}

void outbox_free(struct outbox *outbox)
{
	free(outbox->message);
	*outbox = (struct outbox){0};
}

void outbox_deliver(struct outbox *outbox)
{
	for (uint32_t i = 0; i < outbox->count; i++)
		port_insert(outbox->message[i].port, &outbox->message[i].slot);
	outbox->count = 0;
}
