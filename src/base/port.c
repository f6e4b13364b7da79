#include "base/port.h"

#include <stdlib.h>

void outbox_grow(struct outbox_side *side)
{
	side->capacity = side->capacity ? 2 * side->capacity : 64;
	side->message = xrealloc(side->message, side->capacity * sizeof *side->message);
}

void outbox_free(struct outbox *outbox)
{
	free(outbox->side[0].message);
	free(outbox->side[1].message);
	*outbox = (struct outbox){0};
}

void outbox_deliver(const struct outbox *outbox, uint64_t step, uint64_t sent_at)
{
	const struct outbox_side *side = &outbox->side[(step - 1) & 1];
	for (uint32_t i = 0; i < side->count; i++) {
		const struct port_message *message = &side->message[i];
		if (message->item)
			port_insert(message->port, message->item, message->units, message->to, sent_at);
		else
			port_freed(message->port, message->units, sent_at);
	}
}
