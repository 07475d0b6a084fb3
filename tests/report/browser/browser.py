# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that a test drives through the DevTools protocol, over two pipes: no port,
no module. `with Browser() as browser: page = browser.open(file)`.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile

CHROMIUM = "/usr/bin/chromium"
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35}


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="page-test-")
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def as_three_and_four():
            # High numbers first, so that neither is lost where they overlap.
            one, other = os.dup(to_browser), os.dup(from_browser)
            high = [os.dup2(one, 100), os.dup2(other, 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
             "--disable-background-networking", "--force-device-scale-factor=1", "--hide-scrollbars", "--window-size=1300,900",
             f"--user-data-dir={self.folder}/user", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=as_three_and_four, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": f"{self.folder}/home"})
        os.close(to_browser)
        os.close(from_browser)
        self.read = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except RuntimeError:
            pass
        os.close(self.to)
        os.close(self.back)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.read:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser has gone")
            self.read += part
        text, self.read = self.read.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, parameters=None, session=None):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            request["sessionId"] = session
        text = json.dumps(request).encode() + b"\0"
        while text:
            text = text[os.write(self.to, text):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, *more, **settings):
        return Page(self, path, *more, **settings)


class Page:
    """One file in a tab of its own."""

    def __init__(self, browser, path, fragment="", scripts=True, dark=False):
        self.browser = browser
        target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        if dark:
            self.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", {"value": True})
        self.call("Page.navigate", {"url": "file://" + os.path.abspath(path) + fragment})
        self.wait_for_event("Page.loadEventFired")
        if scripts:
            self.until("document.body.dataset.ready === 'yes'")

    def call(self, method, parameters=None):
        return self.browser.call(method, parameters, self.session)

    def wait_for_event(self, name):
        mine = [e for e in self.browser.events if e.get("sessionId") == self.session and e["method"] == name]
        while not mine:
            answer = self.browser.message()
            self.browser.events.append(answer)
            mine = [answer] if answer.get("sessionId") == self.session and answer.get("method") == name else []

    def eval(self, code):
        answer = self.call("Runtime.evaluate", {"expression": code, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{code}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def until(self, condition):
        """Waits in the browser, frame by frame, at most five minutes: a page that is none of ours would wait for ever."""
        self.eval(f"""new Promise((done, fail) => {{ const end = performance.now() + 300000;
            const look = () => ({condition}) ? done(true) : performance.now() > end ? fail(new Error("it does not come")) : setTimeout(look, 5); look(); }})""")

    def settled(self):
        self.until("document.body.dataset.shown === hashOf(selectionOf(location.hash))")
        self.after_frames()

    def after_frames(self):
        """The next one is drawn, and the one behind it has begun."""
        self.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def place(self, selector):
        """Middle of an element, which is scrolled into sight."""
        found = self.eval(f"""(() => {{ const at = document.querySelector({json.dumps(selector)}); if (!at) return null;
            at.scrollIntoView({{block: "center", behavior: "instant"}}); const box = at.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2, box.left, box.top, box.width, box.height]; }})()""")
        if not found:
            raise RuntimeError(f"nothing is {selector}")
        return found

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, **more})

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y, buttons=0, button="none")
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)
        self.settled()

    def click(self, selector):
        self.click_at(*self.place(selector)[:2])

    def drag(self, x, y, to):
        self.mouse("mousePressed", x, y)
        for i in range(1, 5):
            self.mouse("mouseMoved", x + (to - x) * i / 4, y)
        self.mouse("mouseReleased", to, y)
        self.settled()

    def wheel(self, x, y, delta, control=False):
        self.call("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta, "modifiers": 2 if control else 0})
        self.settled()

    def key(self, name):
        text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
        code = KEYS.get(name, ord(name.upper()) if len(name) == 1 else 0)
        event = {"key": name, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **event} if text else {"type": "rawKeyDown", **event})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **event})
        self.settled()

    def type(self, selector, text):
        self.eval(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", {"text": text})
        self.settled()

    def text(self, selector):
        return self.eval(f"document.querySelector({json.dumps(selector)}).innerText")

    def value(self, selector):
        """The number that an element shows, in full."""
        return float(self.eval(f"document.querySelector({json.dumps(selector)}).dataset.value"))

    def table(self, name):
        """[{column: value}]: numbers in full, texts as shown."""
        return self.eval(f"""(() => {{ const at = document.getElementById({json.dumps(name)});
            const heads = [...at.tHead.rows[0].cells].map(cell => cell.textContent);
            return [...at.tBodies[0].rows].map(row => Object.fromEntries([["key", row.dataset.key ?? null], ["selected", row.getAttribute("aria-selected")],
              ...[...row.cells].map((cell, i) => [heads[i], "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent])])); }})()""")

    def complaints(self):
        """What the console and the network had to say."""
        texts = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                texts.append(json.dumps(event["params"]["exceptionDetails"].get("exception", {}).get("description")))
            elif event["method"] in ("Runtime.consoleAPICalled", "Log.entryAdded"):
                texts.append(json.dumps(event["params"])[:500])
            elif event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if not url.startswith("file://"):
                    texts.append("asked for " + url[:200])
        return texts

    def screenshot(self, path, selector=None, width=None):
        parameters = {"format": "png"}
        if selector:
            box = self.place(selector)
            scroll = self.eval("[scrollX, scrollY]")
            parameters["clip"] = {"x": box[2] + scroll[0], "y": box[3] + scroll[1], "width": box[4], "height": box[5], "scale": 1}
            parameters["captureBeyondViewport"] = True
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", parameters)["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})
