"""XSLT 1.0 on libxslt, as lxml has it: `transform_xslt.py xml INPUT OUTPUT STYLESHEET`."""

from __future__ import annotations

import sys

from lxml import etree

stylesheet = etree.XSLT(etree.parse(sys.argv[4]))
stylesheet(etree.parse(sys.argv[2], etree.XMLParser(huge_tree=True))).write_output(sys.argv[3])
