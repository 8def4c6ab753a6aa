"""The Device menu: where figures are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from posenc_gui.app.state.action import DEVICE, Action
from posenc_gui.app.state.preferences import Preferences


def actions(devices: dict[str, str], preferences: Preferences, choose: Callable[[str], None]) -> Iterator[Action]:
    """Yield an action for each device; the current one is checked."""

    def is_chosen(name: str) -> bool:
        return preferences.device_of(devices) == name

    for name, title in devices.items():
        checked = partial(is_chosen, name)
        yield Action(f"device.{name}", title, (DEVICE,), partial(choose, name), checked=checked, exclusive=True)
