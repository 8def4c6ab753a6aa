"""The command line: `posenc-gui`, with `open`, `export`, `list`, `schema` and `lab check`.

Any failure is one line on standard error and exit status 2. What a command needs is imported when it runs, so that
`--help` and `--version` are quick, and only the window sees Qt.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_origin

from posenc_gui import __version__
from posenc_gui.cli import console
from posenc_gui.foundation.files import share_string as share

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from posenc_gui.figure.figure import Figure
    from posenc_gui.figure.view import View
    from posenc_gui.foundation.declared_model import Frozen
    from posenc_gui.session.session import Session

_NAME = "posenc-gui"
_FAILED, _INTERRUPTED = 2, 130
_FRAMES_TOLD = 10  # between one word of a film's progress and the next
_DIGITS = 10  # of a number of tokens or pixels, and too many
_NUL = "no file's name and no value can hold a NUL"

# What Qt's X11 platform loads and many systems lack, with the Debian package that brings it. Without one Qt aborts.
_X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


# How a figure looks in its file; what may be chosen is declared in `render.export_options`, which takes too long to import here.
_LOOKS = {
    "preset": ("NAME", "what the picture is for: slide, slide_4_3, paper, column or handout"),
    "theme": ("NAME", "light or dark"),
    "transparent": ("", "without a ground"),
    "title": ("WORDS", "a title of your own; else the plot's, and the encoding"),
    "append": ("", "slides go behind those of the deck that is there"),
    "caption": ("", "the sentence, the encoding and the model below the title"),
    "lettering": ("NAME", "text in SVG as outlines, which look the same everywhere, or editable"),
    "size": ("SIZE", "of a PNG: 1x, 2x, 4x, a width such as 1920px, or 12cm@300dpi"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 2 after a failure, 130 when interrupted."""
    console.prepare()
    try:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:  # a user gets one line for every failure, also for those nobody thought of
        console.say(_reason(error))
        return _FAILED
    return status


def _show_window(options: argparse.Namespace) -> int:
    from posenc_gui.foundation.files import atomic as files

    asked: Path | str | None = options.file
    if isinstance(asked, Path) and share.is_one(str(asked)):
        asked = str(asked)
    if isinstance(asked, Path):
        files.check_readable(asked)  # one that can't be read is reported here, not by an empty window
    _require_display()
    from posenc_gui.app.window.application import run

    return run(asked)


def _export(options: argparse.Namespace) -> int:
    from posenc_gui import render
    from posenc_gui.foundation.files import atomic as files

    several = _is_several(options)
    is_folder = several and options.out.suffix.lower() not in (render.DECK, *render.FILMS)
    if not is_folder:
        files.check_writable(options.out)
    elif options.out.suffix and not options.out.is_dir():
        raise ValueError(f"--out {options.out}: several figures go into a folder, a deck (.pptx) or a film (.gif)")
    figures = list(_figures(options))
    if is_folder:
        _save_all(figures, options)
    elif options.out.suffix.lower() == render.DECK:
        render.save_deck([(one, "") for one in figures], options.out, render.chosen(_choices(options)))
    elif options.out.suffix.lower() in render.FILMS:
        render.save_film(figures, options.out, render.chosen(_choices(options)), _tell_frame(len(figures)))
    else:
        figures[0].save(options.out, **_choices(options))
    console.tell_path(options.out)
    return 0


def _is_several(options: argparse.Namespace) -> bool:
    """Whether more than one figure was asked for."""
    plots_asked = options.plot == "all" or "," in options.plot
    return plots_asked or options.each is not None or any(len(asked) > 1 for asked in (options.encoding, options.text))


def _figures(options: argparse.Namespace) -> Iterator[Figure]:
    """Every figure that was asked for: each plot of each sentence with each encoding, at each value. Raises ValueError
    where there is none."""
    from posenc_gui import plots, render
    from posenc_gui.figure.view import EVERYTHING
    from posenc_gui.foundation.errors import unknown
    from posenc_gui.session import evaluate

    names = plots.names() if options.plot == "all" else options.plot.split(",")
    for name in names:
        if name not in plots.names():
            raise ValueError(unknown("plot", name, [*plots.names(), "all"]))
    view = _view(options)
    is_film = options.out.suffix.lower() in render.FILMS and not _is_several(options)
    is_swept = is_film or options.sweep is not None or options.each is not None
    if is_swept and view != EVERYTHING:
        raise ValueError("--rows, --columns and --pixels are of one picture: a sweep and a film show all of it")
    count, why = 0, ""
    for text, encoding, name in product(options.text or [None], options.encoding or [None], names):
        one = argparse.Namespace(**{**vars(options), "text": text, "encoding": encoding, "plot": name})
        session = _wanted_session(one)
        if options.each is not None:
            drawn = _swept(one, session, "--each")
        elif is_film:
            drawn = _swept(one, session, "--sweep")
        else:
            drawn = [evaluate.plot(name, session, view=view) if options.sweep is None else _sweep(one, session)]
        for figure in drawn:
            if figure.is_note:
                why = f"{name}: {figure.description}"
                if _is_several(options):
                    console.say(f"left out {why}")
            else:
                count += 1
                yield figure
    if not count:
        raise ValueError(why)


def _save_all(figures: list[Figure], options: argparse.Namespace) -> None:
    """A file a figure, numbered in their order, into a folder that is made if need be."""
    from posenc_gui import render

    suffix = f".{options.kind.removeprefix('.')}"
    if suffix not in render.suffixes():
        raise ValueError(f"--as {options.kind}: allowed are {', '.join(one[1:] for one in render.suffixes())}")
    paths = render.new_files(figures, options.out, suffix)
    options.out.mkdir(exist_ok=True)
    for figure, path in zip(figures, paths, strict=True):
        figure.save(path, **_choices(options))


def _tell_frame(count: int) -> Callable[[int], None]:
    """Says how far a long film is."""
    return lambda drawn: console.say(f"{drawn} of {count} frames") if not drawn % _FRAMES_TOLD else None


def _choices(options: argparse.Namespace) -> dict[str, Any]:
    """What was chosen of how the figure looks in its file."""
    return {name: value for name, value in vars(options).items() if name in _LOOKS and value is not None}


def _list(options: argparse.Namespace) -> int:
    from posenc_gui.foundation.errors import unknown

    catalogues = {
        "encodings": _encodings,
        "plots": _plots,
        "measures": _measures,
        "labs": _labs,
        "presets": _presets,
    }
    if options.kind not in catalogues:
        raise ValueError(unknown("list", options.kind, catalogues))
    entries = catalogues[options.kind]()
    if options.json:
        import json

        console.tell(*json.dumps(entries, indent=2).splitlines())
    else:
        width = max(len(entry["name"]) for entry in entries)
        console.tell(*(f"{entry['name']:{width}}  {entry['title']}: {entry['summary']}" for entry in entries))
    return 0


def _schema(_options: argparse.Namespace) -> int:
    from posenc_gui.session import json_schema as schema

    console.tell(*schema.text().splitlines())
    return 0


def _check_lab(options: argparse.Namespace) -> int:
    from posenc_gui.labs.authoring.check import check_file
    from posenc_gui.measures.base import counted

    lab, problems = check_file(options.file)
    if lab is None or problems:
        console.tell(*(f"{options.file}:{problem.line}: {problem.message}" for problem in problems))
        raise ValueError(f"{options.file} has {counted(len(problems), 'problem')}, told above.")
    claims = sum(len(step.claims) for step in lab.steps)
    steps, measured = counted(len(lab.steps), "step"), counted(claims, "claim")
    console.tell(f"{options.file}: {steps}, every goal is reached; {measured} measured and true.")
    return 0


# --- The session that is exported -----------------------------------------------------------------------------------


def _wanted_session(options: argparse.Namespace) -> Session:
    """The session file, then the text, then the encodings, then the settings."""
    from posenc_gui import encodings
    from posenc_gui.session import settings_by_name as parts
    from posenc_gui.session.session import Session

    session = Session() if options.session is None else _opened(options.session)
    chosen = {"encoding": options.encoding, "other": options.other}
    typed: dict[str, Any] = {name: encodings.encoding(value) for name, value in chosen.items() if value is not None}
    session = session.model_copy(update=typed)  # what fits is known once all is set
    settings = dict(_setting("--set", assignment, session, options.plot) for assignment in options.set)
    if options.text is not None:
        typed["text"] = options.text  # else the file's order of the tokens would be lost
    try:
        typed |= parts.changed(session, options.plot, settings)
    except ValueError as error:
        raise ValueError(f"--set {error}") from None
    return session.changed(**typed)


def _view(options: argparse.Namespace) -> View:
    """The part of a map that is asked for; of what isn't said everything."""
    from posenc_gui.figure.view import View

    pixels = None if options.pixels is None else _two("--pixels", options.pixels, "x", "1024x1024")
    if pixels and not all(pixels):
        raise ValueError(f"--pixels {options.pixels}: a picture has at least one pixel each way")
    return View(_span("--rows", options.rows), _span("--columns", options.columns), pixels)


def _span(option: str, text: str | None) -> range | None:
    if text is None:
        return None
    first, last = _two(option, text, "-", "0-511")
    if first > last:
        raise ValueError(f"{option} {text}: the first index comes first, as in {last}-{first}")
    return range(first, last + 1)


def _two(option: str, text: str, between: str, example: str) -> tuple[int, int]:
    """Two numbers with a sign between them."""
    first, _, second = text.partition(between)
    if not all(part.isascii() and part.isdigit() and len(part) < _DIGITS for part in (first, second)):
        raise ValueError(f"{option} {text[:40]}: write two numbers, such as {example}")
    return int(first), int(second)


def _sweep(options: argparse.Namespace, session: Session) -> Figure:
    from posenc_gui.session.sweeps import small_multiples

    name, values = _setting("--sweep", options.sweep, session, options.plot, several=True)
    try:
        return small_multiples(options.plot, session, name, values)
    except ValueError as error:
        raise ValueError(f"--sweep {error}") from None


def _swept(options: argparse.Namespace, session: Session, option: str) -> Sequence[Figure]:
    """A figure a value: of those that were given, else the position moves on."""
    from posenc_gui.session.sweeps import moving, sweep

    given = options.each if option == "--each" else options.sweep
    if given is None:
        return sweep(options.plot, session, *moving(options.plot, session))
    name, values = _setting(option, given, session, options.plot, several=True)
    try:
        return sweep(options.plot, session, name, values)
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None


def _opened(path: Path) -> Session:
    """The session in a file, in a share string or of a model's config.json; what had to be left out is said on standard
    error."""
    from posenc_gui.models.config import is_config_at, understood
    from posenc_gui.session.session import Session

    is_share = share.is_one(str(path))
    if not is_share and is_config_at(path):
        model = understood(path)
        if model.remark:
            console.say(model.remark)
        return model.chosen(Session())
    opened = Session.read_share(str(path)) if is_share else Session.open(path)
    for remark in opened.remarks:
        console.say(remark)
    return opened.content


def _setting(option: str, assignment: str, session: Session, plot: str, *, several: bool = False) -> tuple[str, Any]:
    """What stands in NAME=VALUE; of a sweep a list of values."""
    from posenc_gui.session import settings_by_name as parts

    name, equals, text = assignment.partition("=")
    if not equals:
        example = "base=100,1000,10000" if several else "focus=3"
        raise ValueError(
            f"{option} {assignment}: write NAME={'VALUE,VALUE,VALUE' if several else 'VALUE'}, such as {example}"
        )
    try:
        declared = parts.declared(session, plot, name)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None
    if "\0" in text:
        raise ValueError(f"{option} {name}: {_NUL}")
    texts = text.split(",") if several else [text]
    values = [_value(f"{option} {name}", part, declared) for part in texts]
    return name, values if several else values[0]


def _value(name: str, text: str, declared: Sequence[FieldInfo]) -> Any:
    """The text of a value as pydantic takes it: JSON where it is written so, None where a field of the name may be none."""
    from posenc_gui.foundation import declared_fields as fields

    kinds = [fields.kind(field) for field in declared]
    if text.lower() in ("none", "null") and any(kind.optional for kind in kinds):
        return None
    if any(kind.type is str for kind in kinds):
        return text
    if text.lstrip().startswith(("{", "[", '"')):
        return _json(name, text)
    if any(get_origin(kind.type) is tuple for kind in kinds):
        return [part.strip() for part in text.split(",")] if text else []
    return text


def _json(name: str, text: str) -> Any:
    from pydantic_core import from_json

    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"{name}: {text[:40]!r} is no JSON: {error}") from None


# --- What there is --------------------------------------------------------------------------------------------------


def _encodings() -> list[dict[str, Any]]:
    from posenc_gui import encodings

    return [
        {
            "name": name,
            "title": encoding.title,
            "door": encoding.door,
            "tag": encoding.tag,
            "summary": encoding.summary,
            "source": dataclasses.asdict(encoding.source),
            "parameters": _parameters(encoding),
        }
        for name, encoding in encodings.classes().items()
    ]


def _parameters(model: type[Frozen]) -> list[dict[str, Any]]:
    """A model's fields as a script needs them: JSON Schema's words, and the members of each group with their own fields."""
    from posenc_gui.foundation import declared_fields as fields

    schemas = model.model_json_schema().get("properties", {})
    found = []
    for name, field in model.model_fields.items():
        parameter = {"name": name, **schemas[name]}
        group = fields.kind(field)
        if group.members:
            for word in ("anyOf", "oneOf", "discriminator", "$ref"):  # how members are told apart is said below
                parameter.pop(word, None)
            parameter |= {"optional": group.optional, "tag": group.tag or None}
            parameter["members"] = [
                {"title": fields.title(member), "parameters": _parameters(member)} for member in group.members
            ]
        found.append(parameter)
    return found


def _plots() -> list[dict[str, Any]]:
    from posenc_gui import plots

    return [
        {"name": name, "title": plot.title, "group": plot.group, "question": plot.question, "summary": plot.summary}
        for name, plot in plots.plots().items()
    ]


def _measures() -> list[dict[str, Any]]:
    from posenc_gui import measures

    return [
        {"name": name, "title": measure.title, "summary": measure.summary}
        for name, measure in measures.measures().items()
    ]


def _labs() -> list[dict[str, Any]]:
    from posenc_gui.labs.definition import lab_library as shelf

    return [
        {"name": lab.name, "title": lab.title, "minutes": lab.minutes, "steps": len(lab.steps), "summary": lab.summary}
        for lab in map(shelf.lab, shelf.names())
    ]


def _presets() -> list[dict[str, Any]]:
    from posenc_gui.models.presets import catalogue

    shown = {"name", "title", "year", "summary"}
    return [
        {
            "name": preset.name,
            "title": preset.title,
            "year": preset.year,
            "summary": preset.summary,
            **preset.model_dump(mode="json", exclude=shown, exclude_unset=True),
        }
        for preset in catalogue().values()
    ]


# --- The display ----------------------------------------------------------------------------------------------------


def _require_display() -> None:
    """Say in a sentence what Qt would say in a page before it aborts. Raises OSError."""
    if sys.platform != "linux":
        return
    platform, x11, wayland = (os.environ.get(name) for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"))
    if not (platform or x11 or wayland):
        raise OSError(f"No display: DISPLAY and WAYLAND_DISPLAY are not set. `{_NAME} export` works without one.")
    # Beside a Wayland display Qt may not need X11 at all, so nothing is said there.
    if platform == "xcb" or not (platform or wayland):
        missing = [package for library, package in _X11_LIBRARIES.items() if not _can_load(library)]
        if missing:
            raise OSError(f"Qt lacks libraries for this display: apt install {' '.join(missing)}")


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


# --- Words in and out -----------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and takes no abbreviated options, so that new ones can't change old scripts."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=_NAME, description="See and measure what positional encodings do to attention.")
    parser.add_argument("--version", action="version", version=f"{_NAME} {__version__}")
    parser.set_defaults(command=_show_window, file=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", description="without one: the window")

    opening = commands.add_parser(
        "open",
        help="the window on a session file, a share string, an exported figure, a model's config.json or a lab",
    )
    opening.add_argument("file", metavar="FILE", type=_path)
    opening.set_defaults(command=_show_window)

    export = commands.add_parser("export", help="a plot as a file: a picture or its numbers; needs no display")
    export.add_argument("plot", metavar="PLOT", help=f"a name from `{_NAME} list plots`, several with commas, or all")
    export.add_argument(
        "--out",
        metavar="FILE",
        type=_path,
        required=True,
        help="the suffix decides how: map.svg, map.csv; several figures go into a deck (talk.pptx) or a folder, and moving ones "
        "into a film (map.gif)",
    )
    export.add_argument(
        "--as", dest="kind", metavar="KIND", default="svg", help="what the files in a folder are: svg, png, csv, …"
    )
    export.add_argument(
        "--session",
        metavar="FILE",
        type=_path,
        help="a session file, a share string, an exported figure or a model's config.json to start from",
    )
    export.add_argument("--text", action="append", default=[], help="the sentence; repeated: a figure each")
    export.add_argument(
        "--encoding",
        metavar="NAME",
        action="append",
        default=[],
        help=f"a name from `{_NAME} list encodings`, at its defaults; repeated: a figure each",
    )
    export.add_argument("--other", metavar="NAME", help="another encoding, which is compared with it: A beside B")
    export.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a field of the encoding (base=100), of the other one (other.base=100), of the model (model.n_heads=2), of the "
        "plot's options (plot.head=0), or focus=3; may be repeated. A field of a group is named with a dot; lists, and "
        "parameters that are groups, may be JSON",
    )
    export.add_argument(
        "--rows", metavar="FIRST-LAST", help="of a map over a long text these queries alone, such as 0-511"
    )
    export.add_argument("--columns", metavar="FIRST-LAST", help="and these keys")
    export.add_argument(
        "--pixels",
        metavar="ACROSSxDOWN",
        help="its cells at most, such as 1024x1024: where there are more tokens, each is a block of them",
    )
    export.add_argument(
        "--sweep",
        metavar="NAME=VALUE,VALUE,…",
        help="the plot at 3 to 9 values of a field that --set can set, as small multiples on one scale; in a film its frames",
    )
    export.add_argument(
        "--each", metavar="NAME=VALUE,VALUE,…", help="a figure each at these values of a field that --set can set"
    )
    for name, (metavar, told) in _LOOKS.items():
        flag = f"--{name}"
        if metavar:
            export.add_argument(flag, metavar=metavar, help=told)
        else:
            export.add_argument(flag, action="store_const", const=True, help=told)
    export.set_defaults(command=_export)

    listing = commands.add_parser("list", help="the encodings, plots, measures, labs or presets there are")
    listing.add_argument("kind", metavar="encodings|plots|measures|labs|presets")
    listing.add_argument("--json", action="store_true", help="as one JSON array")
    listing.set_defaults(command=_list)

    schema = commands.add_parser("schema", help="the JSON schema of session files, for editors and other programs")
    schema.set_defaults(command=_schema)

    labs = commands.add_parser("lab", help="lab files").add_subparsers(metavar="COMMAND", required=True)
    check = labs.add_parser("check", help="whether a lab file can be used and does what it promises; needs no display")
    check.add_argument("file", metavar="FILE", type=_path)
    check.set_defaults(command=_check_lab)
    return parser


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("name a file, such as map.svg or lesson.json")
    if "\0" in text:
        raise argparse.ArgumentTypeError(_NUL)
    return Path(text)


def _reason(error: Exception) -> str:
    from posenc_gui.foundation.errors import is_of_memory, sentence

    if isinstance(error, (ValueError, OSError, ImportError)):
        return sentence(error)
    if is_of_memory(error):
        return "there is not enough memory for this."
    return f"{type(error).__name__}: {sentence(error)}"
