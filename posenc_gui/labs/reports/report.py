"""A learner's report: one page for any browser, and a file that a teacher collects.

Drawing the pictures takes seconds: `pictures` does it, in any process; `html` and `save` only insert them.
"""

from __future__ import annotations

import base64
import itertools
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from posenc_gui import render
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.compare import compare
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.foundation.wording import format_count, inner_case, quote
from posenc_gui.labs.definition.record import UNNAMED, Outcome, Picture, Record, StepRecord, Transferred, time_of
from posenc_gui.labs.play.observe import compare_sketch
from posenc_gui.labs.text import lab_markdown
from posenc_gui.labs.text.lab_markdown import plain
from posenc_gui.scene import diff
from posenc_gui.scene.comparison import before_and_now_labels
from posenc_gui.scene.diff import Difference
from posenc_gui.scene.example_sentences import FIRST_MODEL
from posenc_gui.session import evaluate
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import format_first_tokens

SKETCH = -1  # the number of the sketch among a step's pictures
Pictures = Mapping[tuple[str, int], bytes | str]  # by step and number: PNG, or a sentence that says why there is none

INK = LIGHT.ink
_PICTURE_WIDTH = 640  # pixels
_MOST_WORDS = 40  # of a sentence
_MOST_BYTES = 100  # of the learner's and of the lab's part of a file name; file systems take 255 for the whole
_FORBIDDEN = frozenset('<>:"/\\|?*.')  # with a dot, a name may mean a device on Windows or a hidden file elsewhere

# Defence in depth, in case text is ever parsed as HTML: no scripts, frames or forms, and nothing from elsewhere.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STYLE = f"""
body {{ font-family: sans-serif; font-size: {lab_markdown.TEXT_SIZE:.0f}px; line-height: 1.45; color: {INK};
  background-color: {LIGHT.card}; max-width: 44em; margin: 2em auto; padding: 0 1em; }}
h1 {{ font-size: 1.5em; margin-bottom: 0; }}
h2 {{ font-size: 1.15em; margin-top: 1.6em; border-bottom: 1px solid {LIGHT.line}; break-after: avoid; }}
th {{ text-align: left; vertical-align: top; font-weight: normal; color: {LIGHT.muted}; padding-right: 16px; width: 7.5em; }}
td {{ vertical-align: top; }}
td p {{ margin-top: 0; margin-bottom: 0.4em; }}
.about {{ color: {LIGHT.muted}; }}
.picture {{ max-width: 100%; height: auto; }}
.taken {{ margin: 0.6em 0; break-inside: avoid; }}
.taken p {{ line-height: 1; }}
"""


def html(record: Record, pictures: Pictures) -> str:
    """Return the report as a self-contained page; `pictures` is the result of the function of that name."""
    title = f"{record.who}: {record.title or record.lab}"
    steps = dict.fromkeys((*record.titles, *record.steps))
    return (
        '<!DOCTYPE html>\n<html>\n<head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<title>{plain(title)}</title>\n'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{plain(record.title or record.lab)}</h1>\n"
        f'<p><b>{plain(record.who)}</b><br><span class="about">{plain(_about(record))}</span></p>\n'
        + (
            f"<h2>What stays</h2>\n{lab_markdown.html(record.takeaway, record.own_numbers, INK)}"
            if lab_markdown.is_filled(record.takeaway, record.own_numbers)
            else ""
        )
        + "".join(_step(record, name, number, pictures) for number, name in enumerate(steps, 1))
        + "</body>\n</html>\n"
    )


def pictures(record: Record) -> Pictures:
    """Draw all pictures that the learner saved or sketched. Takes about a second each."""
    found: dict[tuple[str, int], bytes | str] = {}
    for name, step in record.steps.items():
        for number, picture in enumerate(step.pictures):
            found[name, number] = _png(partial(_taken, picture))
        if step.kind == "sketch" and step.outcome:
            found[name, SKETCH] = _png(partial(compare_sketch, step, Engine()))
    return found


def file_name(record: Record) -> str:
    """Return a file name from the learner and the lab, without a suffix, that is valid on every file system."""
    return f"{_safe(record.learner) or UNNAMED} - {_safe(record.lab) or 'lab'}"


def save(record: Record, folder: Path, pictures: Pictures) -> tuple[Path, Path]:
    """Write the page and the record into a folder; return both paths. Raises OSError.

    An earlier report by the same learner on the same lab is replaced. Other learners' reports stay; if the name is
    taken, this report gets a number.
    """
    numbered = (_paths(record, folder, number) for number in itertools.count(1))
    page, data = next(paths for paths in numbered if _is_free(record, paths))
    record.save(data)  # first: a page without its record has no known owner
    atomic.write(page, html(record, pictures).encode())
    return page, data


def learner_key(record: Record) -> tuple[str, ...]:
    """Return the key shared by reports of one learner and lab; two unnamed reports count as two learners."""
    name = unicodedata.normalize("NFC", " ".join(record.learner.split()))
    return (record.lab, name) if name else (record.lab, "", record.started)


def describe_help(step: StepRecord) -> str:
    """Describe the help that the learner used; empty if there was none."""
    had = (
        format_count(step.hints, "hint") if step.hints > 0 else "",
        "was shown the solution" if step.shown else "",
        "used free play before predicting" if step.explored else "",
    )
    return " · ".join(filter(None, had))


# --- The page -------------------------------------------------------------------------------------------------------


def _about(record: Record) -> str:
    started, changed = _when(record.started), _when(record.changed)
    times = (f"began {started}" if started else "", f"last worked on {changed}" if changed else "")
    done = f"{record.n_done} of {format_count(record.n_steps, 'step')} done"
    return " · ".join(filter(None, (*times, done, f"posenc-gui {record.explorer}")))


def _when(recorded: str) -> str:
    """Format a recorded time; empty if there is none."""
    at = time_of(recorded)
    return f"{at.day} {at:%B %Y, %H:%M}" if at else ""


def _step(record: Record, name: str, number: int, pictures: Pictures) -> str:
    step = record.step(name)
    rows = (
        ("Asked", _markdown(record.asked.get(name, ""))),
        ("Prediction", _markdown(step.answer_words) if step.by_lab else plain(step.answer_words)),
        ("Reason", plain(step.reason)),
        ("Measured", _measured(step.outcome, step.by_lab) if step.outcome else ""),
        ("Formula", f"<pre>{plain(step.formula)}</pre>" if step.formula else ""),
        ("Judged", "<br>".join(map(plain, step.lacked))),
        ("With", plain(_session(step))),
        ("Help", plain(describe_help(step))),
        *(_transferred(step.transfer) if step.transfer else ()),
        ("Notes", plain(step.notes)),
    )
    shown = "".join(f"<tr><th>{title}</th><td>{cell}</td></tr>\n" for title, cell in rows if cell)
    state = "" if step.done else '<p class="about">not done yet</p>\n'
    sketch = _picture(pictures[name, SKETCH], "sketched and measured") if (name, SKETCH) in pictures else ""
    taken = (
        _picture(pictures.get((name, at), "This picture could not be drawn."), picture.note)
        for at, picture in enumerate(step.pictures)
    )
    table = f"<table>\n{shown}</table>\n" if shown else ""
    return f"<h2>{number}. {plain(record.titles.get(name, name))}</h2>\n{state}{table}{sketch}{''.join(taken)}"


def _markdown(text: str) -> str:
    return lab_markdown.html(text, {}, INK)


def _measured(outcome: Outcome, by_lab: bool) -> str:
    verdict = {True: "as predicted", False: "not as predicted", None: ""}[outcome.right]
    measured = _markdown(outcome.words) if by_lab else plain(outcome.words)
    return measured + (f'<p class="about">{verdict}</p>' if verdict else "")


def _transferred(transfer: Transferred) -> tuple[tuple[str, str], ...]:
    measured = _measured(transfer.outcome, by_lab=True) if transfer.outcome else ""
    told = ("Another case", _markdown(transfer.asked)), ("Prediction", _markdown(transfer.answer_words))
    return (*told, ("Measured", measured))


def _session(step: StepRecord) -> str:
    """Describe the session of the measurement: sentence, encoding and model, with the settings that were changed."""
    try:
        session = Session.read(step.session).content
        sentence = format_first_tokens(session.tokens, _MOST_WORDS)
    except ValueError:  # none was recorded, or its tokenizer's file is gone
        return ""
    order = ", in another order" if session.order else ""
    changed = diff.between(declared_fields.at_defaults(session.encoding), session.encoding)
    is_new = session.encoding.written and not step.formula  # else it has a row of its own
    written = f": {session.encoding.written}" if is_new else ""
    encoding = f"{_with_changes(session.encoding.title, changed)}{written}"
    if not isinstance(session.model, ToyModel):
        return f"{quote(sentence)}{order}, {encoding}, {session.model.name}, layer {session.model.layer}"
    model = _with_changes("model", diff.between(FIRST_MODEL, session.model))
    return f"{quote(sentence)}{order}, {encoding}, {model}, seed {session.model.seed}"


def _with_changes(name: str, found: Sequence[Difference]) -> str:
    """Return a name with the settings that differ from the defaults: "RoPE (base 1,000,000)"."""
    told = ", ".join(f"{inner_case(one.title)} {one.after}" for one in found)
    return f"{name} ({told})" if told else name


def _picture(drawn: bytes | str, note: str) -> str:
    below = f'<p class="about">{plain(note)}</p>' if note else ""
    if isinstance(drawn, str):
        return f'<p class="about">{plain(drawn)}</p>{below}\n'
    data = base64.b64encode(drawn).decode()
    image = f'<img class="picture" width="{_PICTURE_WIDTH}" src="data:image/png;base64,{data}" alt="{plain(note)}">'
    return f'<div class="taken"><p>{image}</p>{below}</div>\n'


# --- Pictures -------------------------------------------------------------------------------------------------------


def _taken(picture: Picture) -> Figure:
    """Draw the learner's picture again. Raises ValueError if this version can't draw it."""
    session = Session.read(picture.session).content
    now = evaluate.plot(picture.plot, session)
    if not picture.before:
        return now
    begun = Session.read(picture.before).content
    names = before_and_now_labels(*(None if one.other else one.encoding for one in (begun, session)))
    return compare((evaluate.plot(picture.plot, begun), now), names, over_time=True)


def _png(figure: Callable[[], Figure]) -> bytes | str:
    """Return a drawing as PNG, or a sentence that says why there is none."""
    try:
        return render.content(figure(), ".png")
    except (ValueError, RuntimeError, MemoryError) as error:  # torch raises RuntimeError, also when memory is short
        return f"This picture can't be drawn: {describe_error(error).rstrip('.')}."


# --- Files ----------------------------------------------------------------------------------------------------------


def _paths(record: Record, folder: Path, number: int) -> tuple[Path, Path]:
    name = file_name(record) + (f" ({number})" if number > 1 else "")
    return folder / f"{name}.html", folder / f"{name}.json"


def _is_free(record: Record, paths: tuple[Path, Path]) -> bool:
    """Return True if these files don't exist, or hold an earlier report of the same learner."""
    page, data = paths
    if not data.exists():
        return not page.exists()
    try:
        return learner_key(Record.load(data)) == learner_key(record)
    except (ValueError, OSError):
        return False


def _safe(name: str) -> str:
    """Return a part of a file name: letters, numbers and symbols, without characters that a file system reserves."""
    signs = unicodedata.normalize("NFC", name)
    spaced = (" " if sign in _FORBIDDEN or sign.isspace() else sign for sign in signs)
    printed = "".join(sign for sign in spaced if unicodedata.category(sign)[0] != "C")
    cut = " ".join(printed.split()).encode("utf-8")[:_MOST_BYTES].decode("utf-8", "ignore")
    return cut.strip(" -~")
