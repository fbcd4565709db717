"""Schema formats: XSD, JSON Schema, Avro, Protocol Buffers, OData (EDMX) and Table Schema.

A schema is read as its raw value with `%…` properties beside it that describe it uniformly (the
universal schema form, USDL)::

    %namespace, %title, %documentation
    %types: { Name: { %kind: structure | enumeration | primitive | array | union | fixed,
                      %documentation, %fields: [ { %name, %type, %required, %array, %map, … } ], %values } }

and written either from its raw keywords or, when there are none, from those directives. Each module
has `read` and `write` as data formats do, `describe(raw)` from the raw schema to the directives, and
`generate(directives, options)` back. What readers note beyond the documented directives, so that two
formats lose nothing between them, is listed in `completion`, which every `generate` starts from.
"""
