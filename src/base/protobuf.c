#include "base/protobuf.h"

#include <string.h>

/* Reads a varint: seven bits per byte, the lowest first. */
static enum protobuf_result take_varint(struct protobuf *message, uint64_t *value)
{
	*value = 0;
	for (uint32_t shift = 0; shift < 64; shift += 7) {
		if (message->at == message->end)
			return PROTOBUF_CUT;
		uint8_t byte = *message->at++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return PROTOBUF_FIELD;
	}
	return PROTOBUF_BROKEN;
}

static enum protobuf_result take_fixed(struct protobuf *message, size_t bytes, uint64_t *value)
{
	if ((size_t)(message->end - message->at) < bytes)
		return PROTOBUF_CUT;
	*value = 0;
	for (size_t i = 0; i < bytes; i++)
		*value |= (uint64_t)*message->at++ << 8 * i;
	return PROTOBUF_FIELD;
}

static enum protobuf_result take_bytes(struct protobuf *message, struct protobuf *inside)
{
	uint64_t length;
	enum protobuf_result result = take_varint(message, &length);
	if (result != PROTOBUF_FIELD)
		return result;
	if ((uint64_t)(message->end - message->at) < length)
		return PROTOBUF_CUT;
	*inside = (struct protobuf){message->at, message->at + length};
	message->at += length;
	return PROTOBUF_FIELD;
}

static enum protobuf_result take_value(struct protobuf *message, struct protobuf_field *field)
{
	switch (field->wire) {
	case PROTOBUF_VARINT:
		return take_varint(message, &field->value);
	case PROTOBUF_FIXED64:
		return take_fixed(message, 8, &field->value);
	case PROTOBUF_BYTES:
		return take_bytes(message, &field->inside);
	case PROTOBUF_FIXED32:
		return take_fixed(message, 4, &field->value);
	}
	return PROTOBUF_BROKEN;
}

enum protobuf_result protobuf_next(struct protobuf *message, struct protobuf_field *field)
{
	struct protobuf rest = *message;
	uint64_t key;
	if (rest.at == rest.end)
		return PROTOBUF_END;
	enum protobuf_result result = take_varint(&rest, &key);
	if (result == PROTOBUF_FIELD && (key >> 3 == 0 || key >> 3 > UINT32_MAX >> 3))
		result = PROTOBUF_BROKEN;
	if (result != PROTOBUF_FIELD)
		return result;
	*field = (struct protobuf_field){.number = (uint32_t)(key >> 3), .wire = key & 7};
	result = take_value(&rest, field);
	if (result == PROTOBUF_FIELD)
		*message = rest;
	return result;
}

double protobuf_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

void protobuf_text(const struct protobuf *bytes, char *text, size_t size)
{
	size_t length = (size_t)(bytes->end - bytes->at);
	length = length < size - 1 ? length : size - 1;
	memcpy(text, bytes->at, length);
	text[length] = '\0';
}
