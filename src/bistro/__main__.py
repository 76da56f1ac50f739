"""Run the `bistro` command as a module, with ``python -m bistro``."""

from bistro.cli.main import main

if __name__ == "__main__":
    main()
