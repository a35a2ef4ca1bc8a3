"""`python -m streams.cli`: the program where its script is not on PATH."""

import sys

from streams.cli import main

sys.exit(main())
