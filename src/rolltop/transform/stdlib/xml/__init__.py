"""XML elements and XML text."""
