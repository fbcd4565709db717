"""Running a program: the operators' semantics, scopes, and the simple evaluator.

`operators` and `access` are the one place that says what an operation means; every back end calls
them or proves that it may do something cheaper.
"""
