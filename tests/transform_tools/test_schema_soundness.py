"""What is inferred from schemas holds for every document that they allow."""

from __future__ import annotations

import json

import jsonschema
import pytest
from schema_documents import json_case, xsd_case

from rolltop.errors import RolltopError
from rolltop.transform.service.execute import execute
from rolltop.transform.service.infer import infer
from rolltop.transform.structure import describe_source

CASES = 40


@pytest.mark.parametrize("seed", range(CASES))
def test_promises_about_xsd_hold_for_a_document(seed: int) -> None:
    schema, document, paths = xsd_case(seed)
    structure = describe_source(schema, "xsd")["structure"]
    for path in paths:
        program = f"%utlx 1.0\ninput xml\noutput json\n---\n{path}"
        inferred = infer(program, structure)
        output = execute(program, document, "xml", "json")["output"]
        jsonschema.validate(json.loads(output), inferred["outputSchema"])


@pytest.mark.parametrize("seed", range(CASES))
def test_promises_about_json_schema_hold_for_a_document(seed: int) -> None:
    schema, document, programs = json_case(seed)
    for program in programs:
        inferred = infer(program, schema)
        try:
            output = execute(program, document, "json", "json")["output"]
        except RolltopError:
            continue  # a program that fails has no output to compare
        jsonschema.validate(json.loads(output), inferred["outputSchema"])
