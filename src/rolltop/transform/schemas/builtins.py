"""Types that come with one schema format, and the nearest that every format has."""

from __future__ import annotations

__all__ = ["STRUCT_FILE", "XSD_TYPES", "edm_exact", "edm_universal", "universal", "well_known_file"]

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


_EDM = {
    "String": "string", "Guid": "string", "Duration": "string", "Boolean": "boolean",
    "Byte": "integer", "SByte": "integer", "Int16": "integer", "Int32": "integer", "Int64": "integer",
    "Single": "number", "Double": "number", "Decimal": "number",
    "Date": "date", "TimeOfDay": "time", "DateTimeOffset": "datetime", "Binary": "binary", "Stream": "binary",
}  # fmt: skip
_EDM_EXACT = {"Int64": "long", "Single": "float", "Double": "double", "Decimal": "decimal"}


def edm_universal(edm: str) -> str:
    """The type of a property of OData as descriptions have it."""
    if edm.startswith("Collection("):
        return "array"
    if not edm.startswith("Edm."):
        return "object"
    local = edm[4:]
    return "any" if local.startswith("Geo") else _EDM.get(local, "string")


def edm_exact(edm: str) -> str:
    """The same with the size of numbers."""
    return _EDM_EXACT.get(edm.removeprefix("Edm."), edm_universal(edm))
