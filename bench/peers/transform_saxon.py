"""XSLT 3 on Saxon: `transform_saxon.py xml INPUT OUTPUT STYLESHEET`."""

from __future__ import annotations

import sys

from saxonche import PySaxonProcessor

with PySaxonProcessor(license=False) as processor:
    stylesheet = processor.new_xslt30_processor().compile_stylesheet(stylesheet_file=sys.argv[4])
    stylesheet.transform_to_file(source_file=sys.argv[2], output_file=sys.argv[3])
