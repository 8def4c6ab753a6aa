"""Figures as an animation: GIF, and MP4 where imageio-ffmpeg is installed.

All frames have one size, one layout, one scale and, in a GIF, one palette. The session is appended to either file, where
players ignore it.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.files import embedded_session
from posenc_gui.render import paper
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions, seconds_per_frame
from posenc_gui.render.layout.colour_scales import Colours

SUFFIXES = (".gif", ".mp4")
CARRIES_SESSION = True

_DEFAULT_SIZE = "1x"  # half of a picture's: four times the pixels take four times the bytes
_COLOURS, _EXACT = 256, 128  # colours, and those that are kept exactly
_OF_AREA = 0.75  # the power of its area by which a colour weighs: small parts, such as colour bars, count for more
_SAMPLED = 9  # frames of which a palette is made
_EVEN = 2  # both sides of an MP4 are multiples of this


def film(figures: Sequence[Figure], suffix: str, choices: ExportOptions, shown: Callable[[int], None]) -> bytes:
    """Figures on one scale as frames in one layout; those of a sweep tell their value."""
    figures = [_telling_value(figure, choices) for figure in figures]
    drawn = _frames(_in_drawing_order(figures, suffix), choices, shown)
    pace = round(1000 * seconds_per_frame(len(figures)))
    made = _gif(drawn, len(figures), pace) if suffix == ".gif" else _mp4(drawn, pace)
    session = next((figure.session for figure in figures if figure.session), "")
    return made + (_trailer(embedded_session.session_marker(session).encode(), suffix) if session else b"")


def _telling_value(figure: Figure, choices: ExportOptions) -> Figure:
    """A frame of a sweep with its value in place of the sentence, which nobody could read in time, or below a chosen title."""
    if not figure.value:
        return figure
    if choices.title:
        return figure.captioned(CaptionPart(figure.value, "subject"))
    return replace(figure, headline=(Run(f"{figure.title}: "), Run(figure.value, "number")))


def _frames(figures: Sequence[Figure], choices: ExportOptions, shown: Callable[[int], None]) -> Iterator[Image.Image]:
    look = choices.model_copy(
        update={"size": _DEFAULT_SIZE if choices.size == DEFAULT_OPTIONS.size else choices.size, "transparent": False}
    )
    first: tuple[int, int] | None = None
    for count, drawn in enumerate(paper.frames(figures, ".png", look), 1):
        with Image.open(io.BytesIO(drawn)) as picture:
            frame = picture.convert("RGB")
        first = first or frame.size
        shown(count)
        yield frame if frame.size == first else frame.resize(first)


def _in_drawing_order(figures: Sequence[Figure], suffix: str) -> list[Figure]:
    """The figures in the order in which their frames are drawn: in a GIF those first of which its palette is made."""
    sampled = _spread(len(figures)) if suffix == ".gif" else []
    return [figures[at] for at in (*sampled, *(at for at in range(len(figures)) if at not in sampled))]


def _gif(drawn: Iterator[Image.Image], count: int, pace: int) -> bytes:
    """A GIF of frames in their drawing order, each of which is packed before the next is drawn: they take much memory."""
    sampled = dict(zip(_spread(count), drawn, strict=False))
    palette = _palette(list(sampled.values()))
    frames = (_in_colours(sampled[at] if at in sampled else next(drawn), palette) for at in range(count))
    file = io.BytesIO()
    next(frames).save(file, "GIF", save_all=True, append_images=frames, duration=pace, loop=0, optimize=False)
    return file.getvalue()


def _spread(count: int) -> list[int]:
    """The indices of frames from the first to the last, from which the palette is made."""
    return sorted({round(at * (count - 1) / (_SAMPLED - 1)) for at in range(_SAMPLED)})


def _palette(frames: Sequence[Image.Image]) -> Colours:
    """The colours of all frames, (up to 256, 3): frequent ones exactly, such as the ground's, and means of the rest."""
    width, height = frames[0].size
    together = Image.new("RGB", (width, height * len(frames)))
    for at, frame in enumerate(frames):
        together.paste(frame, (0, at * height))
    counted = sorted(together.getcolors(width * height * len(frames)) or [], reverse=True)
    colours = np.array([colour for _, colour in counted], np.uint8).reshape(-1, 3)
    exact, rest = colours[:_EXACT], colours[_EXACT:]
    if not rest.size:
        return exact
    weights = np.ceil(np.array([count for count, _ in counted[_EXACT:]]) ** _OF_AREA).astype(int)
    weighed = Image.fromarray(np.repeat(rest, weights, axis=0)[np.newaxis])
    means = weighed.quantize(_COLOURS - _EXACT).getpalette() or []
    return np.concatenate([exact, np.array(means, np.uint8).reshape(-1, 3)])[:_COLOURS]


def _in_colours(frame: Image.Image, palette: Colours) -> Image.Image:
    """The frame with each colour replaced by the nearest of the palette; Pillow's own search is coarser."""
    counted = frame.getcolors(frame.width * frame.height) or []
    colours = np.array([colour for _, colour in counted], np.int32)  # (colours, 3)
    apart = ((colours[:, None] - palette.astype(np.int32)) ** 2).sum(axis=2)  # (colours, 256)
    nearest = np.zeros(1 << 24, np.uint8)  # by a colour's code
    nearest[_codes(colours)] = apart.argmin(axis=1)
    found = Image.fromarray(nearest[_codes(np.asarray(frame).astype(np.int32))], "P")
    found.putpalette(palette.tobytes())
    return found


def _codes(colours: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """A number for each colour, (…, 3), below 2²⁴."""
    codes: npt.NDArray[np.int32] = colours[..., 0] << 16 | colours[..., 1] << 8 | colours[..., 2]
    return codes


def _mp4(frames: Iterator[Image.Image], pace: int) -> bytes:
    import imageio_ffmpeg  # an optional extra, which contains ffmpeg

    first = next(frames)
    size = first.width - first.width % _EVEN, first.height - first.height % _EVEN
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        writer = imageio_ffmpeg.write_frames(
            str(path), size, fps=1000 / pace, macro_block_size=_EVEN, ffmpeg_log_level="error"
        )
        writer.send(None)
        for frame in (first, *frames):
            writer.send(np.ascontiguousarray(np.asarray(frame.crop((0, 0, *size)))))
        writer.close()
        return path.read_bytes()


def _trailer(mark: bytes, suffix: str) -> bytes:
    """Return the bytes that append the session: plain in a GIF; in an MP4, a box that players skip."""
    return mark if suffix == ".gif" else (len(mark) + 8).to_bytes(4, "big") + b"free" + mark
