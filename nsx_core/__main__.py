"""``python -m nsx_core``: the command line."""

from nsx_core.cli import main

raise SystemExit(main())
