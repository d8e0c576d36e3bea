"""Fetching HateCheck: the right bytes under the right name, or nothing and a reason."""

from __future__ import annotations

import argparse
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from nsx_core import cli_suites
from nsx_core.errors import DataError
from nsx_core.suites.fetching import HATECHECK, PublicSuite, fetch, fetched_file

CONTENT = b"case_id,test_case,label_gold,target_ident,functionality\n1,We met women.,non-hateful,women,f\n"
SHARED = (
    Path(__file__).resolve().parents[2].parent
    / "shared" / "data" / "hatecheck" / "test_suite_cases.csv"
)  # fmt: skip


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = {"/whole.csv": CONTENT, "/other.csv": CONTENT + b"more", "/cut.csv": CONTENT[:20]}
        if self.path not in content:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(content[self.path])

    def log_message(self, *given: object) -> None:
        pass


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> Iterator[PublicSuite]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = HTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield PublicSuite(
        "Small",
        f"http://127.0.0.1:{server.server_port}/whole.csv",
        "small.csv",
        len(CONTENT),
        hashlib.sha256(CONTENT).hexdigest(),
        "our own",
    )
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_file_is_fetched_once(public: PublicSuite, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "suites"
    assert fetch(public, folder) == (folder / "small.csv", True)
    assert (folder / "small.csv").read_bytes() == CONTENT
    gone = replace(public, address="http://127.0.0.1:1/none")
    assert fetch(gone, folder) == (folder / "small.csv", False), "no connection is needed again"
    assert [path.name for path in folder.iterdir()] == ["small.csv"]


def test_a_damaged_file_is_fetched_again(public: PublicSuite, tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_bytes(CONTENT[:10])
    assert fetch(public, tmp_path) == (tmp_path / "small.csv", True)
    assert (tmp_path / "small.csv").read_bytes() == CONTENT


@pytest.mark.parametrize("answer", ["other.csv", "cut.csv"])
def test_other_bytes_are_not_kept(public: PublicSuite, tmp_path: Path, answer: str) -> None:
    wrong = replace(public, address=public.address.replace("whole.csv", answer))
    wrong = replace(wrong, sha256="0" * 64) if answer == "other.csv" else wrong
    (tmp_path / "small.csv").write_bytes(b"what was there")
    with pytest.raises(DataError, match="other bytes came|that failed"):
        fetch(wrong, tmp_path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"what was there"]


@pytest.mark.parametrize(
    ("address", "said"),
    [("http://127.0.0.1:1/x", "refused"), ("missing", "the server answered 404")],
)
def test_offline_the_message_says_what_to_do(
    public: PublicSuite, tmp_path: Path, address: str, said: str
) -> None:
    if address == "missing":
        address = public.address.replace("whole", "missing")
    with pytest.raises(DataError, match=f"{said}.*bring the file from another computer"):
        fetch(replace(public, address=address), tmp_path / "suites")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_said(public: PublicSuite, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DataError, match="cannot be used: .*name another folder in NSX_HOME"):
        fetch(public, tmp_path / "file" / "suites")


def test_hatecheck_is_pinned_and_lies_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSX_HOME", str(tmp_path))
    assert fetched_file() == tmp_path / "suites" / "hatecheck.csv"
    assert HATECHECK.address.startswith("https://")
    assert len(HATECHECK.address.split("/")[5]) == 40, "a revision, never a branch"


@pytest.mark.data
@pytest.mark.skipif(not SHARED.is_file(), reason="HateCheck is not in ../shared/data here")
def test_the_checksum_is_that_of_the_file_in_shared() -> None:
    content = SHARED.read_bytes()
    assert len(content) == HATECHECK.size
    assert hashlib.sha256(content).hexdigest() == HATECHECK.sha256


def test_the_command(
    public: PublicSuite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cli_suites, "_SUITES", {"small": public})
    parser = argparse.ArgumentParser()
    cli_suites.add_fetch_command(parser.add_subparsers(dest="command"))
    for said in ("was fetched to", "is already at"):
        given = parser.parse_args(["fetch", "small", "--to", str(tmp_path)])
        given.run(given, None)
        shown = capsys.readouterr().out
        assert f"Small {said} {tmp_path / 'small.csv'}" in shown
        assert "1 cases, 1 functionalities, 1 groups (our own)" in shown
