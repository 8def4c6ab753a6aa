"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const tip = document.getElementById("tip"), said = document.getElementById("said");
// The drawings in which something is read, unlike a note.
const drawings = [...document.querySelectorAll(".drawn")].filter((drawn) =>
  data.frames.some((frame) => frame[drawn.dataset.layout].some(([places]) => data.places[places].length)));
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, -1], ArrowDown: [1, 1] };  // axis, way
let now = 0, seen = null;  // the frame; the drawing and the point of the window that are read
const found = new Map();  // the regions of each drawing in the frame that is shown

// What is read where, in units of a drawing: {rect: [x, y, width, height], words}.
function regionsOf(drawn) {
  if (!found.has(drawn)) {
    const panels = data.frames[now][drawn.dataset.layout];
    found.set(drawn, panels.flatMap(([places, told]) =>
      data.told[told].map((words, at) => ({ rect: data.places[places].slice(4 * at, 4 * at + 4), words }))));
  }
  return found.get(drawn);
}

const lines = (region) => region.words.map((word) => data.words[word]);

function show(drawn, region, x, y) {
  const mark = drawn.querySelector(".here");
  mark.style.display = region ? "inline" : "none";
  tip.hidden = !region;
  seen = region && { drawn, x, y };
  if (!region) return;
  ["x", "y", "width", "height"].forEach((name, at) => mark.setAttribute(name, region.rect[at]));
  tip.replaceChildren(...lines(region).map((words) => Object.assign(document.createElement("div"), { textContent: words })));
  tip.style.left = tip.style.top = 0;
  const { width, height } = tip.getBoundingClientRect(), room = document.documentElement.clientWidth;
  const right = x + 16, above = y - 16 - height;
  tip.style.left = `${scrollX + Math.max(0, right + width <= room ? right : x - 16 - width)}px`;
  tip.style.top = `${scrollY + (above >= 0 ? above : y + 16)}px`;  // a finger is below
}

function under(drawn, clientX, clientY) {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(drawn.getScreenCTM().inverse());
  return regionsOf(drawn).find(({ rect: [left, top, width, height] }) =>
    left <= x && x < left + width && top <= y && y < top + height);
}

// The nearest region ahead that says something else, and lies no further aside than ahead; rather one of the same row or curve.
function beside(regions, from, [axis, way]) {
  const apart = (to, of) => to.rect[of] + to.rect[of + 2] / 2 - from.rect[of] - from.rect[of + 2] / 2;
  const both = (to, of) => (from.rect[of + 2] + to.rect[of + 2]) / 2;
  let best = from, least = Infinity;
  for (const to of regions) {
    const ahead = way * apart(to, axis) - both(to, axis), aside = Math.abs(apart(to, 1 - axis));
    if (ahead < -1 || aside - both(to, 1 - axis) > Math.max(ahead, 0)) continue;
    const shared = to.words.filter((word) => from.words.includes(word)).length;
    const cost = 16 * ahead + aside * (shared ? 0.01 : 1);
    if (cost < least && shared < to.words.length) [best, least] = [to, cost];
  }
  return best;
}

function read(drawn, region) {
  const [x, y, width, height] = region.rect;
  show(drawn, region, 0, 0);
  drawn.querySelector(".here").scrollIntoView({ block: "nearest" });
  const place = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(drawn.getScreenCTM());
  show(drawn, region, place.x, place.y);
  said.textContent = lines(region).join(", ");
}

// A drawing's name is the description of the frame that is shown.
function name() {
  const told = document.querySelector("details p:not(.frame), details p.now");
  const words = told ? told.textContent : document.title;
  for (const drawn of drawings) drawn.setAttribute("aria-label", `${words} The arrow keys read it part by part.`);
}

for (const drawn of drawings) {
  drawn.setAttribute("role", "application");
  drawn.setAttribute("tabindex", 0);
  let at = null;  // what the keys have reached
  const leave = () => { at = null; show(drawn, null); };
  const point = ({ clientX, clientY }) => { at = null; show(drawn, under(drawn, clientX, clientY), clientX, clientY); };
  drawn.addEventListener("pointermove", point);
  drawn.addEventListener("pointerdown", point);
  drawn.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") leave(); });
  drawn.addEventListener("blur", leave);
  document.addEventListener("pointerdown", (event) => { if (!event.target.closest(".drawn")) leave(); });
  drawn.addEventListener("keydown", (event) => {
    const regions = regionsOf(drawn);
    if (event.key === "Escape") leave();
    if (!regions.length || !(event.key in STEPS || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    const last = at && regions.find(({ rect }) => rect.every((side, one) => side === at.rect[one]));
    if (event.key === "Home") at = regions[0];
    else if (event.key === "End") at = regions[regions.length - 1];
    else at = last ? beside(regions, last, STEPS[event.key]) : regions[0];
    read(drawn, at);
  });
}
name();

const theme = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
const offer = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
theme.hidden = false;
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  offer();
});
system.addEventListener("change", offer);
offer();

const controls = document.getElementById("controls");
if (controls) {
  const [play, slider, value] = controls.children;
  let playing = 0;
  const go = (frame) => {
    now = frame;
    for (const one of document.querySelectorAll(".frame")) one.classList.toggle("now", Number(one.dataset.frame) === frame);
    value.textContent = data.frames[frame].value;
    slider.value = frame;
    slider.setAttribute("aria-valuetext", data.frames[frame].value);
    found.clear();
    for (const drawn of drawings) {
      const high = data.frames[frame].high[drawn.dataset.layout];
      drawn.toggleAttribute("hidden", !high);
      drawn.viewBox.baseVal.height = high;
    }
    if (seen) show(seen.drawn, under(seen.drawn, seen.x, seen.y), seen.x, seen.y);
    name();
  };
  const stop = () => { clearInterval(playing); playing = 0; play.textContent = "Play"; };
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  play.addEventListener("click", () => {
    if (playing) { stop(); return; }
    play.textContent = "Pause";
    playing = setInterval(() => go((now + 1) % data.frames.length), data.pace);
  });
  controls.hidden = false;
  go(0);
}
