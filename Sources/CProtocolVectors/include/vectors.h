#ifndef PROTOCOL_VECTORS_H
#define PROTOCOL_VECTORS_H

// The files of Sources/PasteboardWire/Vectors, as text that ends with a 0 byte.
extern const char *pbv_frames(void);
extern const char *pbv_transcripts(void);
extern const char *pbv_broker(void);
extern const char *pbv_client(void);

// Sources/PasteboardWire/pasteboard.proto and frame-kinds.tsv, in the same form.
extern const char *pbv_schema(void);
extern const char *pbv_kinds(void);

#endif
