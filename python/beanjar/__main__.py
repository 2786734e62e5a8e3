"""The command line: ``beanjar`` or ``python -m beanjar``."""

import sys

from . import _beanjar


def main() -> None:
    """Runs the command line with the words of ``sys.argv``."""
    sys.exit(_beanjar.main(["beanjar", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
