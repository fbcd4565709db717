"""What this machine offers: R with its libraries, pandoc, TeX, container engines, and how to add what is missing."""
