"""The tools that every peer serves: one echo, and as many ordinary ones as asked for."""

ECHO_IN = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "What to say."}},
    "required": ["text"],
}
ECHO_OUT = {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]}
REAL_IN = {
    "type": "object",
    "properties": {
        name: {"type": kind, "description": f"The {name} of the thing to look for, as the user gave it."}
        for name, kind in (
            ("query", "string"),
            ("limit", "integer"),
            ("fuzzy", "boolean"),
            ("tags", "string"),
            ("after", "string"),
        )
    },
    "required": ["query"],
}
DESCRIPTION = "Finds things. Use it when the user asks for something that may have been kept before. " * 3
