"""`python -m rolltop` is the `rolltop` command."""

from rolltop.boot import main

if __name__ == "__main__":
    main()
