"""A real Chromium without a window, asked over a pipe: https://chromedevtools.github.io/devtools-protocol/."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "End": 35,
    "Home": 36,
    "Escape": 27,
    "Tab": 9,
}


class Browser:
    """One page in a browser, and what it asked the network for."""

    def __init__(self, asks: BinaryIO, answers: BinaryIO) -> None:
        self._asks, self._answers = asks, answers
        self._number, self._left, self._session = 0, b"", ""
        self.requests: list[str] = []
        self.errors: list[str] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def _ask(self, method: str, **params: object) -> Any:
        self._number += 1
        asked: dict[str, object] = {"id": self._number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        self._asks.write(json.dumps(asked).encode() + b"\0")
        self._asks.flush()
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return told["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            read = os.read(self._answers.fileno(), 1 << 16)
            assert read, "the browser has ended"
            self._left += read
        message, self._left = self._left.split(b"\0", 1)
        told: dict[str, Any] = json.loads(message)
        match told.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(told["params"]["request"]["url"])
            case "Runtime.exceptionThrown" | "Log.entryAdded":
                self.errors.append(json.dumps(told["params"]))
        return told

    def open(self, path: Path, width: int, height: int, *, dark: bool = False, media: str = "screen") -> None:
        """Open a file in a window of this size, or as it is printed, and wait until it is shown."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", media=media, features=[feature])
        self._ask("Page.navigate", url=path.as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass
        self.run("document.fonts.ready.then(() => 0)")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def point(self, x: float, y: float, event: str = "mouseMoved") -> None:
        """Move the pointer to a point of the window."""
        self._ask("Input.dispatchMouseEvent", type=event, x=x, y=y)

    def tap(self, x: float, y: float) -> None:
        """Touch a point of the window with a finger, and lift it."""
        self._ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self._ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, selector: str) -> None:
        """Press and release the mouse in the middle of an element."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y = self.run(f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({box})")
        for event in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=event, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press and release a key."""
        for event in ("rawKeyDown", "keyUp"):
            self._ask("Input.dispatchKeyEvent", type=event, key=key, code=key, windowsVirtualKeyCode=_KEYS[key])

    def picture(self) -> bytes:
        """The window as PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot")["data"])


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Yield a browser whose profile is in a folder; it is ended with all that it started."""
    assert CHROMIUM
    (theirs, asks), (answers, own) = os.pipe(), os.pipe()
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]

    def as_expected() -> None:
        for pipe, number in ((theirs, 3), (own, 4)):
            os.dup2(pipe, number)
            os.set_inheritable(number, True)

    process = subprocess.Popen(
        [*command, f"--user-data-dir={folder}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,
        preexec_fn=as_expected,
    )
    os.close(theirs)
    os.close(own)
    with os.fdopen(asks, "wb") as asked, os.fdopen(answers, "rb") as told:
        try:
            yield Browser(asked, told)
        finally:
            process.kill()
            process.wait()
