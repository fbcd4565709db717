"""Programs as generated Python: the fast back end, exact by falling back.

The emitter turns the tree into one Python function. Its code takes short cuts only where Python's own
operation means the same, and calls `run.operators` and `run.access` everywhere else. Whatever goes
wrong in it (a failure of the program, a value that a short cut did not expect) is answered by running
the same inputs on the simple evaluator: programs are pure, so nothing has to be undone, and errors
come out with their exact place and words.
"""

from rolltop.transform.compile.compiler import Compiled, compile_tree

__all__ = ["Compiled", "compile_tree"]
