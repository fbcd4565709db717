"""`python -m rolltop` is the `rolltop` command."""

from rolltop.cli import main

if __name__ == "__main__":
    main()
