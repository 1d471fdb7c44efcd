#include "vectors.h"

// The compiler includes the files themselves, so that there is no generated copy that could differ from them.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char frames[] = {
#embed "../PasteboardWire/Vectors/frames.hex"
    , 0};
static const char transcripts[] = {
#embed "../PasteboardWire/Vectors/transcripts.hex"
    , 0};
static const char broker[] = {
#embed "../PasteboardWire/Vectors/broker.hex"
    , 0};
static const char client[] = {
#embed "../PasteboardWire/Vectors/client.hex"
    , 0};
static const char schema[] = {
#embed "../PasteboardWire/pasteboard.proto"
    , 0};
static const char kinds[] = {
#embed "../PasteboardWire/frame-kinds.tsv"
    , 0};

const char *pbv_frames(void) { return frames; }
const char *pbv_transcripts(void) { return transcripts; }
const char *pbv_broker(void) { return broker; }
const char *pbv_client(void) { return client; }
const char *pbv_schema(void) { return schema; }
const char *pbv_kinds(void) { return kinds; }
