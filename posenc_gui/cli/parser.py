"""The arguments of `posenc-gui`: commands, options and their help."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NoReturn

from posenc_gui import __version__
from posenc_gui.cli.console import PROGRAM

NUL_REFUSED = "a file name or value can't contain a NUL character"

# The options of `render.export_options`, repeated here since importing it would slow down --help: a placeholder for
# the value (empty for a switch) and a help text.
LOOKS = {
    "preset": ("NAME", "where the figure goes: slide, slide_4_3, paper, column or handout"),
    "theme": ("NAME", "light or dark"),
    "transparent": ("", "leave out the background"),
    "title": ("WORDS", "a title of your own, in place of the plot's name and the encoding"),
    "charts": ("NAME", "charts and tables of slides: editable, as PowerPoint draws them, or drawn like other pictures"),
    "title_slide": ("", "begin a deck with a slide of its title, the encodings, the sentence and the version"),
    "append": ("", "add the slides to the end of an existing deck"),
    "caption": ("", "add a line below the title: the sentence, the encoding and the model"),
    "lettering": ("NAME", "text in an SVG: outlines, which look the same everywhere, or editable"),
    "size": ("SIZE", "of a PNG: 1x, 2x, 4x, a width such as 1920px, or 12cm@300dpi"),
}


class _Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line, and refuses abbreviations: a new option could change what they mean."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; the parsed `command` is the command's name, "open" if none is given."""
    parser = _Parser(prog=PROGRAM, description="See and measure what positional encodings do to attention.")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    parser.set_defaults(command="open", file=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", description="without one, the window opens")

    opening = commands.add_parser(
        "open",
        help="open the window on a session file, a share string, an exported figure, a model's folder or config.json, or a lab",
    )
    opening.add_argument("file", metavar="FILE", type=_path)
    opening.set_defaults(command="open")

    export = commands.add_parser("export", help="save a plot as a picture or as numbers; needs no display")
    _add_session_options(export)
    _add_file_options(export)
    export.set_defaults(command="export")

    listing = commands.add_parser("list", help="list the encodings, plots, measures, labs or presets")
    listing.add_argument("kind", metavar="encodings|plots|measures|labs|presets")
    listing.add_argument("--json", action="store_true", help="print one JSON array")
    listing.set_defaults(command="list")

    schema = commands.add_parser(
        "schema", help="print the JSON schema of session files, for editors and other programs"
    )
    schema.set_defaults(command="schema")

    _add_identify(commands)

    labs = commands.add_parser("lab", help="check lab files").add_subparsers(metavar="COMMAND", required=True)
    check = labs.add_parser("check", help="find the mistakes in lab files and test their claims; needs no display")
    check.add_argument("files", metavar="FILE", type=_path, nargs="*")
    check.add_argument("--bundled", action="store_true", help="check all bundled labs instead of files")
    check.set_defaults(command="lab check")
    return parser


def _add_identify(commands: Any) -> None:
    """Add the command that says whose numbers a file's are."""
    identify = commands.add_parser(
        "identify",
        help="say which encoding's numbers a file holds, in which convention",
        epilog="Exit status: 0 where an encoding is named, 1 where none that is known has these numbers, 2 after a failure.",
    )
    identify.add_argument(
        "file", metavar="FILE", help="a .npy, .npz, .safetensors, .pt or text file; - reads text from standard input"
    )
    identify.add_argument(
        "--kind",
        metavar="KIND",
        help="what the numbers are: table, cosines, sines, waves, angles, frequencies, rotated, bias, slopes or buckets; found "
        "if not given",
    )
    identify.add_argument("--before", metavar="FILE", type=_path, help="of rotated queries: the queries before")
    identify.add_argument("--array", metavar="NAME", default="", help="the array, of a file that holds several")
    identify.add_argument("--json", action="store_true", help="print the verdict as JSON")
    identify.set_defaults(command="identify")


def _add_session_options(export: argparse.ArgumentParser) -> None:
    """Add the options that choose plots and the session."""
    export.add_argument("plot", metavar="PLOT", help=f"a name from `{PROGRAM} list plots`, several with commas, or all")
    export.add_argument(
        "--session",
        metavar="FILE",
        type=_path,
        help="start from a session file, a share string, an exported figure or a model's config.json",
    )
    export.add_argument(
        "--model",
        metavar="NAME|FOLDER",
        action="append",
        default=[],
        help=f"a published model from `{PROGRAM} list presets`; repeat it once to compare the encodings of two, in the shape of "
        "the first. A folder with config.json, model.safetensors and tokenizer.json, or the name of a model on this computer: "
        "the model itself, with its weights",
    )
    export.add_argument("--layer", metavar="N", help="the layer of a folder's model that is seen; 0 if not given")
    export.add_argument("--text", action="append", default=[], help="the sentence; repeat it for a figure of each")
    export.add_argument(
        "--encoding",
        metavar="NAME",
        action="append",
        default=[],
        help=f"a name from `{PROGRAM} list encodings`, with its defaults or with parameters: rope(base=500); repeat it for a "
        "figure of each",
    )
    export.add_argument("--other", metavar="NAME", help="an encoding to compare with: A beside B")
    export.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a field of the encoding (base=100), of the one compared with it (other.base=100), of the model "
        "(model.n_heads=2) or of the plot's options (plot.head=0), or focus=3; may be repeated. A dot leads to a field of a "
        "group (scaling.factor=8). Lists and groups may be JSON",
    )
    export.add_argument("--rows", metavar="FIRST-LAST", help="only these queries of a long text's map, such as 0-511")
    export.add_argument("--columns", metavar="FIRST-LAST", help="only these keys")
    export.add_argument(
        "--pixels",
        metavar="ACROSSxDOWN",
        help="the most cells that a map may have, such as 1024x1024; of a longer text each cell is a block",
    )
    export.add_argument(
        "--sweep",
        metavar="NAME=VALUE,VALUE,…",
        help="small multiples on one scale, for 3 to 9 values of a field that --set accepts, or for 2 to 9 encodings: "
        "encoding=sinusoidal,rope(base=500),alibi; in a film, one frame a value",
    )
    export.add_argument(
        "--each",
        metavar="NAME=VALUE,VALUE,…",
        help="one figure for each value of a field that --set accepts, or for each encoding",
    )


def _add_file_options(export: argparse.ArgumentParser) -> None:
    """Add the options for the files and for the figures' appearance."""
    export.add_argument(
        "--out",
        metavar="FILE",
        type=_path,
        required=True,
        help="the suffix decides the format: map.svg, map.csv; several figures need a deck (talk.pptx), a folder, a film "
        "(map.gif) or a page (map.html)",
    )
    export.add_argument(
        "--as", dest="kind", metavar="KIND", default="svg", help="the format of files in a folder: svg, png, csv, …"
    )
    for name, (metavar, text) in LOOKS.items():
        flag = f"--{name.replace('_', '-')}"
        if metavar:
            export.add_argument(flag, metavar=metavar, help=text)
        else:
            export.add_argument(flag, action="store_const", const=True, help=text)


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("name a file, such as map.svg or lesson.json")
    if "\0" in text:
        raise argparse.ArgumentTypeError(NUL_REFUSED)
    return Path(text)
