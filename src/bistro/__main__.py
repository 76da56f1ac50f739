"""`python -m bistro`: the command line."""

from bistro.cli.main import main

if __name__ == "__main__":
    main()
