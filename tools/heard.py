"""What a screen reader on Linux is told, by AT-SPI.

`dbus-run-session /usr/bin/python3 tools/heard.py SECONDS COMMAND …` runs a command on a display of its own, and prints what comes
to have the keyboard, what is announced, and at the end all that is shown. It needs Debian's at-spi2-core, gir1.2-atspi-2.0,
python3-gi, dbus-x11 and xvfb, thus the system's Python.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

_BUS = ("/usr/libexec/at-spi-bus-launcher", "--launch-immediately")
_GROUPS = (Atspi.Role.PANEL, Atspi.Role.GROUPING, Atspi.Role.TABLE, Atspi.Role.DIALOG)


def told(one: Atspi.Accessible) -> str:
    """An object's label or name, role, value and description."""
    found = [each for each in one.get_relation_set() if each.get_relation_type() == Atspi.RelationType.LABELLED_BY]
    value, about = one.get_value_iface(), one.get_description()
    name = " ".join((*(each.get_target(0).get_name() for each in found), repr(one.get_name())))
    number = f" = {value.get_current_value():,.10g}" if value else ""
    return f"{name}, {one.get_role_name()}{number}{f' ({about})' if about else ''}"


def around(one: Atspi.Accessible) -> str:
    """The names of the groups in which an object stands."""
    names = []
    while one := one.get_parent():
        if one.get_role() in _GROUPS and one.get_name():
            names.insert(0, one.get_name())
    return f" [in {' › '.join(names)}]" if names else ""


def shown(one: Atspi.Accessible, depth: int = 0) -> None:
    """Print an object and all below it that is in sight."""
    if not one.get_state_set().contains(Atspi.StateType.SHOWING) and depth > 1:
        return
    print(f"{'  ' * depth}{told(one)}")
    for at in range(min(one.get_child_count(), 100)):
        if child := one.get_child_at_index(at):
            shown(child, depth + 1)


def on_event(event: Atspi.Event) -> None:
    """Print what a screen reader would say."""
    with suppress(GLib.GError):  # it may be gone already
        if event.type.startswith("object:announcement"):
            print(f"    said: {event.any_data}", flush=True)
        elif event.detail1:
            print(f"  focus: {told(event.source)}{around(event.source)}", flush=True)


def main(seconds: float, command: list[str]) -> None:
    """Run a command for so long at most, and print what is heard of it."""
    at, end = os.pipe()
    screen = subprocess.Popen(("Xvfb", "-screen", "0", "1440x900x24", "-displayfd", str(end)), pass_fds=[end])
    asks = {
        "DISPLAY": f":{os.read(at, 16).decode().strip()}",
        "QT_QPA_PLATFORM": "xcb",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    }
    bus = subprocess.Popen(_BUS, env=os.environ | asks)
    time.sleep(1)
    app = subprocess.Popen(command, env=os.environ | asks)
    listener, loop = Atspi.EventListener.new(on_event), GLib.MainLoop()
    for kind in ("object:state-changed:focused", "object:announcement"):
        listener.register(kind)
    GLib.timeout_add(int(1000 * seconds), loop.quit)
    loop.run()
    desktop = Atspi.get_desktop(0)
    for child in range(desktop.get_child_count()):
        shown(desktop.get_child_at_index(child))
    for process in (app, bus, screen):
        process.terminate()


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
