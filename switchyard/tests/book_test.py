# SPDX-License-Identifier: Apache-2.0
"""The results chapters: what a mark becomes, what is refused, and that the page is up to date."""

import json
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.data import records
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS
from switchyard.run import build
from switchyard.show import book, outcomes
from switchyard.show.figure import Table
from switchyard.tests.report_test import Hostile

PAGE = "# Results\n\nBy hand.\n\n<!-- results: hostile {} -->\nold\n<!-- end -->\n\nBehind.\n"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as `run` writes it, and a place of its own for what is kept."""
    experiment, folder = Hostile(), tmp_path / "results"
    outcome = experiment.outcome()
    records.save(outcome.records, folder / "hostile.json")
    outcomes.path(folder / "hostile.json").write_text(outcomes.dumps(experiment, outcome))
    (folder / "hostile.meta.json").write_text(json.dumps({"quick": False}))
    monkeypatch.setattr(book, "kept", lambda: tmp_path / "kept")
    return folder


def test_notes_and_tables_stand_between_their_marks(results: Path) -> None:
    assert book.take(results, {"hostile"}) == ["hostile"]
    notes = book.renew(PAGE.format("notes"), "page")
    assert notes.startswith(
        "# Results\n\nBy hand.\n\n<!-- results: hostile notes -->\n\n- </script>"
    )
    assert notes.endswith("\n<!-- end -->\n\nBehind.\n")
    assert "old" not in notes
    assert book.renew(notes, "page") == notes
    tables = book.renew(PAGE.format("tables"), "page")
    assert "|---|---:|\n| 1 |" in tables
    assert tables == book.renew(PAGE.format("table 1"), "page").replace("table 1", "tables")


def test_parts_of_others_stay_as_they_are(results: Path) -> None:
    book.take(results, {"hostile"})
    both = PAGE.format("notes") + "<!-- results: other table 1 -->\nold\n<!-- end -->\n"
    notes = book.renew(PAGE.format("notes"), "page")
    renewed = book.renew(both, "page", {"hostile"})
    assert renewed == notes + "<!-- results: other table 1 -->\nold\n<!-- end -->\n"
    assert book.renew(both, "page", set()) == both


def test_one_experiment_of_a_folder(
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(book, "page", lambda: tmp_path / "page.md")
    text = PAGE.format("notes") + PAGE.format("notes").replace("hostile", "other")
    (tmp_path / "page.md").write_text(text)
    assert cli.execute(["docs", str(results), "--only", "hostile"]) == 0
    assert "kept: hostile\n" in capsys.readouterr().out
    assert (tmp_path / "page.md").read_text().count("old") == 1
    assert cli.execute(["docs", str(results), "--only", "other"]) == 2
    assert "no other.json; expected: switchyard run other" in capsys.readouterr().err
    assert cli.execute(["docs", "--only", "l4-ipc"]) == 2
    assert "--only l4-ipc: is not on the page; " in capsys.readouterr().err


def test_only_what_the_page_shows_is_kept(results: Path, tmp_path: Path) -> None:
    assert book.take(results, {"another"}) == []
    assert not (tmp_path / "kept").exists()


def test_quick_results_are_refused(results: Path) -> None:
    (results / "hostile.meta.json").write_text(json.dumps({"quick": True}))
    with pytest.raises(InputError, match=r"hostile\.json: made by a quick run; expected"):
        book.take(results, {"hostile"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- results: hostile notes -->\n", "p:1: a part without an end"),
        ("\n<!-- end -->\n", "p:2: <!-- end --> without a part"),
        ("<!-- results: a all -->\n<!-- end -->\n", "p:1: <!-- results: a all -->; expected"),
        ("<!-- results: hostile table 7 -->\n<!-- end -->\n", "p:1: hostile has 1 tables"),
        (PAGE.format("notes").replace("old", "<!-- results: hostile notes -->"), "p:6: a part be"),
    ],
)
def test_a_wrong_page_is_refused_in_one_line(results: Path, text: str, message: str) -> None:
    book.take(results, {"hostile"})
    with pytest.raises(InputError) as caught:
        book.renew(text, "p")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_cell_cannot_end_its_row() -> None:
    table = Table("", ["a", "b"], [["1|2", "3\n4"]])
    assert book.markdown(table)[-1] == "| 1\\|2 | 3 4 |"


def test_a_summary_is_a_question_a_figure_and_a_table(results: Path) -> None:
    book.take(results, {"hostile"})
    summary = book.renew(PAGE.format("summary"), "page")
    assert "\n### [hostile](chapters/hostile.md)\n\n</script>" in summary
    assert "](images/hostile.svg)\n\n**</script>" in summary
    assert "|---|---:|\n| 1 |" in summary


def test_the_page_is_what_the_kept_results_give() -> None:
    assert cli.execute(["docs", "--check"]) == 0


def test_every_experiment_has_its_chapter(tmp_path: Path) -> None:
    assert cli.execute(["docs", "--chapters", str(tmp_path)]) == 0
    site = (build.root() / "mkdocs.yml").read_text()
    for name in EXPERIMENTS:
        template = (book.chapters() / f"{name}.md").read_text()
        chapter = (tmp_path / f"{name}.md").read_text()
        assert book.shown(template, name) == {name}
        assert len(chapter) > len(template)
        assert f"switchyard run {name}" in chapter
        assert f"- chapters/{name}.md\n" in site
