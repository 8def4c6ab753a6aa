"""Figures as an animation: GIF, and MP4 where imageio-ffmpeg is installed.

All frames have one size and, in a GIF, one palette. The session is appended to either file, where players ignore it.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.files import embedded_session
from posenc_gui.render import paper
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions
from posenc_gui.render.layout.colour_scales import Colours

SUFFIXES = (".gif", ".mp4")
CARRIES_SESSION = True

_FEW = 16  # up to this many frames are shown slowly, one by one; more are played as motion
_SLOW, _FAST = 900, 90  # milliseconds a frame
_DEFAULT_SIZE = "1x"  # half of a picture's: four times the pixels take four times the bytes
_COLOURS, _EXACT = 256, 192  # colours, and those that are kept exactly
_SAMPLED = 9  # frames of which a palette is made
_EVEN = 2  # both sides of an MP4 are multiples of this


def content(figure: Figure, suffix: str, choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """An animation of one frame."""
    return film([figure], suffix, choices)


def film(
    figures: Iterable[Figure],
    suffix: str,
    choices: ExportOptions = DEFAULT_OPTIONS,
    shown: Callable[[int], None] = lambda _count: None,
) -> bytes:
    """The figures as frames.

    shown: called after each frame with the number drawn so far; its exceptions pass through.
    """
    figures = list(figures)
    frames = _frames(figures, choices, shown)
    pace = _SLOW if len(figures) <= _FEW else _FAST
    made = _gif(frames, pace) if suffix == ".gif" else _mp4(frames, pace)
    session = next((figure.session for figure in figures if figure.session), "")
    return made + (_trailer(embedded_session.session_marker(session).encode(), suffix) if session else b"")


def _frames(figures: list[Figure], choices: ExportOptions, shown: Callable[[int], None]) -> Iterator[Image.Image]:
    look = choices.model_copy(
        update={"size": _DEFAULT_SIZE if choices.size == DEFAULT_OPTIONS.size else choices.size, "transparent": False}
    )
    first: tuple[int, int] | None = None
    for count, figure in enumerate(figures, 1):
        with Image.open(io.BytesIO(paper.content(figure, ".png", look))) as drawn:
            frame = drawn.convert("RGB")
        first = first or frame.size
        yield frame if frame.size == first else frame.resize(first)
        shown(count)


def _gif(frames: Iterator[Image.Image], pace: int) -> bytes:
    drawn = [_packed(frame) for frame in frames]
    palette = _palette([_unpacked(drawn[at]) for at in _spread(len(drawn))])
    first, *others = (_in_colours(_unpacked(one), palette) for one in drawn)
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=pace, loop=0, optimize=False)
    return file.getvalue()


def _packed(frame: Image.Image) -> bytes:
    """A frame as bytes, since the palette is known only after the last one and frames take much memory."""
    file = io.BytesIO()
    frame.save(file, "PNG", compress_level=1)
    return file.getvalue()


def _unpacked(frame: bytes) -> Image.Image:
    return Image.open(io.BytesIO(frame)).convert("RGB")


def _spread(count: int) -> list[int]:
    """The indices of frames from the first to the last, from which the palette is made."""
    return sorted({round(at * (count - 1) / (_SAMPLED - 1)) for at in range(_SAMPLED)})


def _palette(frames: Sequence[Image.Image]) -> Colours:
    """The colours of all frames, (256, 3): the most frequent ones exactly, such as the ground's, and means of all."""
    width, height = frames[0].size
    together = Image.new("RGB", (width, height * len(frames)))
    for at, frame in enumerate(frames):
        together.paste(frame, (0, at * height))
    counted = sorted(together.getcolors(width * height * len(frames)) or [], reverse=True)
    exact = np.array([colour for _, colour in counted[:_EXACT]], np.uint8).reshape(-1, 3)
    means = together.quantize(_COLOURS - _EXACT).getpalette() or []
    return np.concatenate([exact, np.array(means, np.uint8).reshape(-1, 3)])[:_COLOURS]  # (256, 3)


def _in_colours(frame: Image.Image, palette: Colours) -> Image.Image:
    """The frame with each colour replaced by the nearest of the palette; Pillow's own search is coarser."""
    seen = np.asarray(frame).astype(np.int32)  # (height, width, 3)
    codes, places = np.unique(seen @ (65536, 256, 1), return_inverse=True)
    colours = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1)  # (colours, 3)
    apart = ((colours[:, None] - palette.astype(np.int32)) ** 2).sum(axis=2)  # (colours, 256)
    found = Image.fromarray(apart.argmin(axis=1).astype(np.uint8)[places].reshape(seen.shape[:2]), "P")
    found.putpalette(palette.tobytes())
    return found


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
