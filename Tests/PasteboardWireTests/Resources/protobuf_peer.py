"""The peer in the tests of messages: Google's protobuf, with the descriptor set that protoc makes from pasteboard.proto.

    protobuf_peer.py DESCRIPTOR_SET read    messages on standard input, one per line: NAME HEX
                                            answers: HEX of the message encoded again, then its fields
    protobuf_peer.py DESCRIPTOR_SET judge   the same for messages that may be malformed, with a verdict before each answer:
                                            "refused" and no answer, "known", or "odd" if a field that is read as
                                            unknown is a group or has the number of a known one
    protobuf_peer.py DESCRIPTOR_SET write SEED COUNT
                                            random messages, COUNT of each kind: NAME HEX, then their fields

Fields are PATH=VALUE, with strings as their bytes; "-" stands for no bytes.
"""

import random
import sys
import warnings

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import DecodeError

GROUP = 3


def message_class(descriptor):
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory().GetPrototype(descriptor)


def fields(message, path=""):
    found = ["%s={}" % path] if path else []
    for field in message.DESCRIPTOR.fields:
        value, place = getattr(message, field.name), "%s.%s" % (path, field.name)
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
    # Values of enumerations are signed here, and unsigned 32-bit numbers in the Swift code.
    if field.type == Field.TYPE_ENUM:
        return ["%s=%d" % (path, value & (1 << 32) - 1)]
    # Signed numbers are shown as their two's complement.
    return ["%s=%d" % (path, value & (1 << 64) - 1)]


def random_value(field, rng):
    if field.type == Field.TYPE_STRING:
        return "".join(rng.choice("a\0é€😀\n\"") for _ in range(rng.choice([0, 1, 5, 60])))
    if field.type == Field.TYPE_BYTES:
        return bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 5, 60])))
    if field.type == Field.TYPE_BOOL:
        return rng.random() < 0.5
    bits = {Field.TYPE_UINT32: 32, Field.TYPE_ENUM: 31}.get(field.type, 64)
    value = rng.choice([0, 1, 127, 128, (1 << bits) - 1, rng.getrandbits(bits), rng.getrandbits(bits // 2)])
    return value - (1 << 64) if field.type == Field.TYPE_INT64 and value >> 63 else value


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


def unknown_fields(message):
    if hasattr(message, "UnknownFields"):
        return message.UnknownFields()
    from google.protobuf import unknown_fields

    return unknown_fields.UnknownFieldSet(message)


def is_odd(message):
    numbers = message.DESCRIPTOR.fields_by_number
    if any(field.field_number in numbers or field.wire_type == GROUP for field in unknown_fields(message)):
        return True
    for field, value in message.ListFields():
        if field.type == Field.TYPE_MESSAGE:
            if any(is_odd(entry) for entry in (value if field.label == Field.LABEL_REPEATED else [value])):
                return True
    return False


def judge(message, encoded):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            message.ParseFromString(encoded)
        except DecodeError:
            return "refused"
    # Some versions only warn if a message ends at the end of a group or at a field without a number.
    if caught:
        return "refused"
    return "%s %s" % ("odd" if is_odd(message) else "known", show(message))


def main():
    with open(sys.argv[1], "rb") as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    classes = {}
    for file in files.file:
        for message in file.message_type:
            descriptor = pool.FindMessageTypeByName("%s.%s" % (file.package, message.name))
            classes[message.name] = message_class(descriptor)

    if sys.argv[2] == "read":
        for line in sys.stdin:
            name, encoded = line.split()
            print(show(classes[name].FromString(bytes.fromhex(encoded.strip("-")))))
    elif sys.argv[2] == "judge":
        for line in sys.stdin:
            name, encoded = line.split()
            print(judge(classes[name](), bytes.fromhex(encoded.strip("-"))))
    else:
        rng = random.Random(int(sys.argv[3]))
        for _ in range(int(sys.argv[4])):
            for name in classes:
                message = classes[name]()
                fill(message, rng)
                print(name, show(message))


main()
