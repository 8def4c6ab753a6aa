"""Every encoding has a picture of its own, which the window shows below the maps."""

from __future__ import annotations

import posenc_gui as pe
from posenc_gui.plots import own_picture
from posenc_gui.scene.scene import scene_of

OWN = {
    "clocks": ["fourier", "sinusoidal"],
    "encoding": ["binary", "integer", "learned", "normalized", "one_hot", "own"],
    "hands": ["axial", "mrope", "pope", "rope", "xpos"],
    "offsets": ["deberta", "inkling", "shaw", "transformer_xl"],
    "rulers": ["alibi", "cope", "fire", "fox", "kerple", "none", "sandwich", "t5"],
}


def test_every_encoding_has_its_own_picture() -> None:
    found: dict[str, list[str]] = {}
    for name in sorted(pe.encodings()):
        session = pe.Session(encoding=name)
        own = own_picture(scene_of(session))
        figure = pe.plot(own, session)
        assert not figure.is_note, (name, figure.description)
        assert figure.headline
        found.setdefault(own, []).append(name)
    assert found == OWN


def test_a_picture_of_another_door_leads_to_the_encodings_own() -> None:
    offered = {}
    for plot, encoding in [
        ("clocks", "alibi"),
        ("hands", "t5"),
        ("hands", "sinusoidal"),
        ("rulers", "rope"),
        ("clocks", "none"),
    ]:
        (note,) = pe.plot(plot, pe.Session(encoding=encoding)).panels
        offered[plot, encoding] = note.remedy.words, note.remedy.command
    assert list(offered.values()) == [
        ("See its rulers", "plot.rulers"),
        ("See its rulers", "plot.rulers"),
        ("See its clocks", "plot.clocks"),
        ("See its hands", "plot.hands"),
        ("Choose RoPE", ""),
    ]
