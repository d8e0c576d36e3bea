"""Reading and driving a page without a browser."""

from __future__ import annotations

import json
import time
from typing import Any

from streamlit.testing.v1 import AppTest

from nsx_core.job import ACTIVE
from pages.shared.engine import the_engine


def texts(app: AppTest) -> str:
    """All plain text and our own markdown on the page."""
    return "\n".join([e.value for e in app.get("text")] + [m.value for m in app.markdown])


def figures(app: AppTest) -> dict[str, Any]:
    """The trees handed to the browser, by what their class is."""
    found = {}
    for element in app.get("bidi_component"):
        tree = json.loads(element.proto.json or element.proto.mixed.json)
        found[tree["a"]["class"].split()[0]] = tree
    return found


def explained(app: AppTest, text: str) -> AppTest:
    """Type a text, press Explain, and wait for the job."""
    app.text_area(key="text_box").set_value(text)
    app.button(key="explain").click().run()
    return finished(app)


def finished(app: AppTest) -> AppTest:
    """Wait for the job that the page polls, and run the page once more."""
    if not shown(app, "cancel"):
        return app
    job = app.session_state["job"]
    end = time.monotonic() + 30
    while the_engine().job(job).state in ACTIVE:
        assert time.monotonic() < end, "the job did not end"
        time.sleep(0.02)
    app.run()
    assert not shown(app, "cancel")
    return app


def shown(app: AppTest, key: str) -> bool:
    """Whether the page has a button of this key."""
    return any(b.key == key for b in app.button)


def twice(app: AppTest) -> AppTest:
    """Run the page two times: the second run sees the widgets' state."""
    app.run()
    assert not app.exception
    app.run()
    assert not app.exception
    return app
