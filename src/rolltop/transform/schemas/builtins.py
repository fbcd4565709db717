"""Types that come with one schema format, and the nearest that every format has."""

from __future__ import annotations

__all__ = ["STRUCT_FILE", "XSD_TYPES", "universal", "well_known_file"]

_TEXTS = (
    "anyURI", "anySimpleType", "anyAtomicType", "token", "normalizedString", "language", "Name", "NCName", "NMTOKEN",
    "NMTOKENS", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "QName", "NOTATION", "duration", "dayTimeDuration",
    "yearMonthDuration", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay",
)  # fmt: skip
_WHOLE = (
    "byte", "short", "int", "integer", "long", "unsignedByte", "unsignedShort", "unsignedInt", "unsignedLong",
    "positiveInteger", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger",
)  # fmt: skip
XSD_TYPES = frozenset(
    {*_TEXTS, *_WHOLE, "string", "boolean", "decimal", "float", "double", "date", "time", "dateTime", "dateTimeStamp",
     "hexBinary", "base64Binary", "anyType"}
)  # fmt: skip
"""What `xs:` may stand before."""

_GOOGLE = {
    "Timestamp": ("datetime", "timestamp"), "Duration": ("string", "duration"), "FieldMask": ("string", "field_mask"),
    "Any": ("object", "any"), "Empty": ("object", "empty"), "Struct": ("object", "struct"), "Value": ("any", "struct"),
    "NullValue": ("any", "struct"), "ListValue": ("array", "struct"), "DoubleValue": ("number", "wrappers"),
    "FloatValue": ("float", "wrappers"), "Int64Value": ("long", "wrappers"), "UInt64Value": ("long", "wrappers"),
    "Int32Value": ("integer", "wrappers"), "UInt32Value": ("long", "wrappers"), "BoolValue": ("boolean", "wrappers"),
    "StringValue": ("string", "wrappers"), "BytesValue": ("binary", "wrappers"),
}  # fmt: skip
_PACKAGE = "google.protobuf."
STRUCT_FILE = "google/protobuf/struct.proto"

_UNIVERSAL = {
    **dict.fromkeys(_TEXTS, "string"),
    **dict.fromkeys(_WHOLE, "integer"),
    **dict.fromkeys(("long", "unsignedInt", "unsignedLong"), "long"),
    "dateTime": "datetime", "dateTimeStamp": "datetime", "hexBinary": "binary", "base64Binary": "binary",
    "anyType": "any",
}  # fmt: skip


def universal(name: str) -> str:
    """The nearest type that every format has; a name that means nothing special stays."""
    plain = name.removeprefix(".")
    if plain.startswith(_PACKAGE):
        return _GOOGLE.get(plain.removeprefix(_PACKAGE), (name, ""))[0]
    return _UNIVERSAL.get(name, name)


def well_known_file(name: str) -> str | None:
    """The file that declares a type which comes with protobuf."""
    plain = name.removeprefix(".")
    found = _GOOGLE.get(plain.removeprefix(_PACKAGE)) if plain.startswith(_PACKAGE) else None
    return f"google/protobuf/{found[1]}.proto" if found else None
