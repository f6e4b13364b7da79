/* protobuf: reads messages of protocol buffers (protobuf.dev/programming-guides/encoding): a message is a row of fields, a field a number with a
 * value, which may be a message again. What is read may be any bytes: nothing is read beyond their end. */
#ifndef SLUICE_BASE_PROTOBUF_H
#define SLUICE_BASE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* How a field's value is encoded. */
enum protobuf_wire { PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2, PROTOBUF_FIXED32 = 5 };

/* What is left of a message. */
struct protobuf {
	const uint8_t *at, *end;
};

struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;         /* of a varint, and the bits of what is fixed */
	struct protobuf inside; /* of bytes: a text or a message */
};

enum protobuf_result {
	PROTOBUF_FIELD, /* taken; the message goes on behind it */
	PROTOBUF_END,
	PROTOBUF_CUT,   /* the bytes end in the middle of it */
	PROTOBUF_BROKEN /* it is no field; the message stays as it is, as when it is cut */
};

/* Takes the next field. */
enum protobuf_result protobuf_next(struct protobuf *message, struct protobuf_field *field);

/* The number that the bits of a fixed value stand for. */
double protobuf_double(uint64_t bits);

/* Bytes as a text, of which as much is taken as there is room for, up to the first NUL. */
void protobuf_text(const struct protobuf *bytes, char *text, size_t size);

#endif
