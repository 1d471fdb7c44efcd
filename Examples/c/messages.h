// The encoding of messages, by hand: a field is its key, `number << 3 | wire type`, and its value. The numbers of rules are
// those of Protocol.md. A failure ends the program.

#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline _Noreturn void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

struct message { uint8_t bytes[4096]; size_t count; };

static inline void put_raw(struct message *message, const void *bytes, size_t count) {
    if (count > sizeof message->bytes - message->count) die("an argument is too long");
    memcpy(message->bytes + message->count, bytes, count);
    message->count += count;
}

static inline void put_varint(struct message *message, uint64_t value) {
    for (; value > 127; value >>= 7) put_raw(message, &(uint8_t){(uint8_t)value | 128}, 1);
    put_raw(message, &(uint8_t){(uint8_t)value}, 1);
}

static inline void put_number(struct message *message, uint32_t field, uint64_t value) {
    put_varint(message, field << 3);
    put_varint(message, value);
}

static inline void put_bytes(struct message *message, uint32_t field, const void *bytes, size_t count) {
    put_varint(message, field << 3 | 2);
    put_varint(message, count);
    put_raw(message, bytes, count);
}

static inline void put_string(struct message *message, uint32_t field, const char *text) {
    put_bytes(message, field, text, strlen(text));
}

enum type { NUMBER = 0, BYTES = 2 };
struct reader { const uint8_t *at, *end; };
struct field { uint32_t number, type; uint64_t value; const uint8_t *bytes; size_t count; };

static inline uint64_t read_varint(struct reader *reader) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    die("the broker sent a malformed message");  // M3
}

// Reads the next field. Returns false at the end of the message.
static inline bool read_field(struct reader *reader, struct field *field) {
    if (reader->at == reader->end) return false;
    uint64_t key = read_varint(reader), left = 0;
    *field = (struct field){.number = (uint32_t)(key >> 3), .type = key & 7};
    switch (field->type) {
    case NUMBER: field->value = read_varint(reader); break;
    case 1: left = 8; break;
    case BYTES: left = read_varint(reader); break;
    case 5: left = 4; break;
    default: die("the broker sent a malformed message");  // M3: groups, too
    }
    if (key >> 3 == 0 || key >> 32 || left > (size_t)(reader->end - reader->at)) die("the broker sent a malformed message");
    field->bytes = reader->at;
    field->count = left;
    reader->at += left;
    return true;
}

// The last occurrence of a field (M1), which must have this type.
static inline bool find(const uint8_t *bytes, size_t count, uint32_t number, uint32_t type, struct field *found) {
    struct reader reader = {bytes, bytes + count};
    struct field field;
    bool is_found = false;
    while (read_field(&reader, &field)) {
        if (field.number != number) continue;
        if (field.type != type) die("the broker sent a malformed message");
        *found = field;
        is_found = true;
    }
    return is_found;
}
