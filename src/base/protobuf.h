/* protobuf: reads protocol-buffer messages (protobuf.dev/programming-guides/encoding). A message is a sequence of
 * fields. A field is a number with a value, which may be a message. The input may be arbitrary bytes: nothing is
 * read beyond its end. */
#ifndef SLUICE_BASE_PROTOBUF_H
#define SLUICE_BASE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* How a field's value is encoded. */
enum protobuf_wire { PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2, PROTOBUF_FIXED32 = 5 };

/* The unread rest of a message. */
struct protobuf {
	const uint8_t *at, *end;
};

struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;         /* value of a varint, or the bits of a fixed-size value */
	struct protobuf inside; /* content of bytes: a text or a message */
};

enum protobuf_result {
	PROTOBUF_FIELD, /* a field was taken; the message continues after it */
	PROTOBUF_END,
	PROTOBUF_CUT,   /* the bytes end inside the field */
	PROTOBUF_BROKEN /* invalid field; the message is unchanged, as for PROTOBUF_CUT */
};

/* Takes the next field. */
enum protobuf_result protobuf_next(struct protobuf *message, struct protobuf_field *field);

/* The number that a fixed-size value's bits represent. */
double protobuf_double(uint64_t bits);

/* Copies bytes as a text, up to the first NUL or to the size of the buffer. */
void protobuf_text(const struct protobuf *bytes, char *text, size_t size);

#endif
