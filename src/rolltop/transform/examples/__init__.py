"""Example transformations, and the index that finds those that are like a task.

The corpus lies in `corpus/`: lists of examples in YAML, each with a name, a description, a program with its
header, an input and the output that it gives. A directory of conformance cases can be read in addition.
"""

from rolltop.transform.examples.corpus import Example, load_corpus
from rolltop.transform.examples.finder import Finder, Wanted

__all__ = ["Example", "Finder", "Wanted", "load_corpus"]
