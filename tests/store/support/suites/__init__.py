"""One suite per seam: every implementation has to pass it. A test module gives the fixture and inherits the class."""
