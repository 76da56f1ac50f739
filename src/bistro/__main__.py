"""The command `bistro` as a module: ``python -m bistro``."""

from bistro.cli.main import main

if __name__ == "__main__":
    main()
