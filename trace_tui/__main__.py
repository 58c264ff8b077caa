"""`python -m trace_tui` is `trace-tui`."""

import sys

from trace_tui.cli.main import main

sys.exit(main())
