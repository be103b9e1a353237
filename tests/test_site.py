"""The site of the pages in docs/: it builds without a warning, and a browser finds its way."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.limits import HANGS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = (1280, 390)

pytest.importorskip("sphinx", reason="the site is built where Sphinx is: make site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr
    return folder


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.anchors |= {value for value in (named.get("id"), named.get("name")) if value}
        if tag == "a" and named.get("href"):
            self.links.append(str(named["href"]))


def _read(page: Path) -> _Links:
    links = _Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


@pytest.mark.slow
def test_what_assistants_read_leads_to_pages(site: Path) -> None:
    """Each link of llms.txt: the Markdown of a page, as it is in docs/."""
    listed = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert len(listed) > 60
    assert [link for link in listed if not (site / link).is_file()] == []
    assert (site / "why.md").read_text(encoding="utf-8") == (DOCS / "why.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_links_within_the_site_lead_to_an_anchor(site: Path) -> None:
    read = {page: _read(page) for page in site.rglob("*.html")}
    broken = []
    for page, links in read.items():
        for link in links.links:
            if re.match(r"\w+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            known = read[target].anchors if target in read else set()
            if not target.exists() or (anchor and anchor not in known):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no chromium here")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("index.html", "begin with"),
        ("ten-minutes.html", "What a header does not say"),
        ("language.html", "A whole spec"),
        ("guide/index.html", "Where to look"),
        ("guide/memory.html", "Memory and its owners"),
        ("gpu/index.html", "Which device"),
        ("performance/index.html", "In short"),
        ("reference.html", "wrapper_lib"),
        ("diagnostics.html", "WG010"),
    ],
)
def test_a_browser_shows_a_page(site: Path, page: str, text: str, width: int, tmp_path: Path) -> None:
    shown = _shown(site / page, width, tmp_path)
    assert text in shown
    assert 'role="search"' in shown
    assert "sidebar-tree" in shown


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no chromium here")
@pytest.mark.parametrize("word", ["capacity", "WG030"])
def test_the_search_finds_keys_and_diagnostics(site: Path, word: str, tmp_path: Path) -> None:
    shown = _shown(f"{(site / 'search.html').as_uri()}?q={word}", 1280, tmp_path)
    found = re.findall(r'<li[^>]*><a href="([^"]+)"', shown)
    wanted = "diagnostics" if word.startswith("WG") else "guide/"
    assert any(wanted in link for link in found), json.dumps(found)


def _shown(page: Path | str, width: int, profile: Path) -> str:
    """The document as it is once its scripts ran."""
    address = page.as_uri() if isinstance(page, Path) else page
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    options.append(f"--user-data-dir={profile}")
    command = [str(BROWSER), *options, f"--window-size={width},900", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
