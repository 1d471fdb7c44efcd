"""The peer in the tests of messages: Google's protobuf, with the descriptor set that protoc makes from pasteboard.proto.

    protobuf_peer.py DESCRIPTOR_SET read    messages on standard input, one per line: NAME HEX
                                            answers: HEX of the message encoded again, then its fields
    protobuf_peer.py DESCRIPTOR_SET write SEED COUNT
                                            random messages, COUNT of each kind: NAME HEX, then their fields

Fields are PATH=VALUE in the spelling of the Swift code, with strings as their bytes; "-" stands for no bytes.
"""

import random
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field


def message_class(descriptor):
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory().GetPrototype(descriptor)


def fields(message, path=""):
    found = ["%s={}" % path] if path else []
    for field in message.DESCRIPTOR.fields:
        value, place = getattr(message, field.name), "%s.%s" % (path, field.camelcase_name)
        if field.label == Field.LABEL_REPEATED:
            for index, entry in enumerate(value):
                found += fields_of_value(field, entry, "%s[%d]" % (place, index))
        elif not field.has_presence or message.HasField(field.name):
            found += fields_of_value(field, value, place)
    return found


def fields_of_value(field, value, path):
    if field.type == Field.TYPE_MESSAGE:
        return fields(value, path)
    if field.type == Field.TYPE_BYTES:
        return ["%s='%s'" % (path, value.hex())]
    if field.type == Field.TYPE_STRING:
        return ["%s='%s'" % (path, value.encode().hex())]
    if field.type == Field.TYPE_BOOL:
        return ["%s=%s" % (path, "true" if value else "false")]
    return ["%s=%d" % (path, value)]


def random_value(field, rng):
    if field.type == Field.TYPE_STRING:
        return "".join(rng.choice("a\0é€😀\n\"") for _ in range(rng.choice([0, 1, 5, 60])))
    if field.type == Field.TYPE_BYTES:
        return bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 5, 60])))
    if field.type == Field.TYPE_BOOL:
        return rng.random() < 0.5
    bits = 32 if field.type == Field.TYPE_UINT32 else 64
    return rng.choice([0, 1, 127, 128, (1 << bits) - 1, rng.getrandbits(bits), rng.getrandbits(bits // 2)])


def fill(message, rng):
    for field in message.DESCRIPTOR.fields:
        if field.label == Field.LABEL_REPEATED:
            for _ in range(rng.randrange(4)):
                if field.type == Field.TYPE_MESSAGE:
                    fill(getattr(message, field.name).add(), rng)
                else:
                    getattr(message, field.name).append(random_value(field, rng))
        elif field.type == Field.TYPE_MESSAGE:
            if rng.random() < 0.5:
                getattr(message, field.name).SetInParent()
                fill(getattr(message, field.name), rng)
        elif not field.has_presence or rng.random() < 0.6:
            setattr(message, field.name, random_value(field, rng))


def show(message):
    encoded = message.SerializeToString(deterministic=True).hex() or "-"
    return " ".join([encoded] + fields(message))


def main():
    with open(sys.argv[1], "rb") as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    names = [message.name for file in files.file for message in file.message_type]
    classes = {name: message_class(pool.FindMessageTypeByName("pasteboard." + name)) for name in names}

    if sys.argv[2] == "read":
        for line in sys.stdin:
            name, encoded = line.split()
            print(show(classes[name].FromString(bytes.fromhex(encoded.strip("-")))))
    else:
        rng = random.Random(int(sys.argv[3]))
        for _ in range(int(sys.argv[4])):
            for name in names:
                message = classes[name]()
                fill(message, rng)
                print(name, show(message))


main()
