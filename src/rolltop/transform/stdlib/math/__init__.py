"""Numbers: arithmetic, statistics, formatting, money, geography."""
