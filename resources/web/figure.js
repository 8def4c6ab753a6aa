"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const tip = document.getElementById("tip"), said = document.getElementById("said");
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let now = 0;

// What is read where, in units of a drawing: {rect: [x, y, width, height], words}.
function regionsOf(drawn) {
  const panels = data.frames[now][drawn.dataset.layout];
  return panels.flatMap(([places, told]) =>
    data.told[told].map((words, at) => ({ rect: data.places[places].slice(4 * at, 4 * at + 4), words })));
}

function lines(region) {
  return region.words.map((word) => data.words[word]);
}

function show(drawn, region, x, y) {
  const mark = drawn.querySelector(".here");
  mark.style.display = region ? "inline" : "none";
  tip.hidden = !region;
  if (!region) return;
  ["x", "y", "width", "height"].forEach((name, at) => mark.setAttribute(name, region.rect[at]));
  tip.replaceChildren(...lines(region).map((words) => {
    const line = document.createElement("div");
    line.textContent = words;
    return line;
  }));
  const right = x + 16, below = y + 16, { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(0, right + width <= innerWidth ? right : x - 16 - width)}px`;
  tip.style.top = `${Math.max(0, below + height <= innerHeight ? below : y - 16 - height)}px`;
}

function under(drawn, event) {
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawn.getScreenCTM().inverse());
  return regionsOf(drawn).find(({ rect: [left, top, width, height] }) =>
    left <= x && x < left + width && top <= y && y < top + height);
}

// The nearest region whose middle lies in a direction, of those beside it rather than aslant.
function beside(regions, from, [dx, dy]) {
  const middle = ({ rect: [x, y, width, height] }) => [x + width / 2, y + height / 2];
  const [x, y] = middle(from);
  let best = from, least = Infinity;
  for (const region of regions) {
    const [ownX, ownY] = middle(region);
    const along = dx * (ownX - x) + dy * (ownY - y), aside = Math.abs(dy * (ownX - x)) + Math.abs(dx * (ownY - y));
    const cost = along + 4 * aside;
    if (along > 0.01 && cost < least) [best, least] = [region, cost];
  }
  return best;
}

function read(drawn, region) {
  const [x, y, width, height] = region.rect;
  const place = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(drawn.getScreenCTM());
  show(drawn, region, place.x, place.y);
  said.textContent = lines(region).join(", ");
}

for (const drawn of document.querySelectorAll(".drawn")) {
  let at = null;  // what the keys have reached
  const point = (event) => { at = null; show(drawn, under(drawn, event), event.clientX, event.clientY); };
  drawn.addEventListener("pointermove", point);
  drawn.addEventListener("pointerdown", point);
  drawn.addEventListener("pointerleave", () => show(drawn, null));
  drawn.addEventListener("blur", () => { at = null; show(drawn, null); });
  drawn.addEventListener("keydown", (event) => {
    const regions = regionsOf(drawn);
    if (event.key === "Escape") { at = null; show(drawn, null); }
    if (!regions.length || !(event.key in STEPS || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    const known = at && regions.find(({ rect }) => rect.join() === at.rect.join());
    if (event.key === "Home") at = regions[0];
    else if (event.key === "End") at = regions[regions.length - 1];
    else at = known ? beside(regions, known, STEPS[event.key]) : regions[0];
    read(drawn, at);
  });
}

const theme = document.getElementById("theme");
if (theme) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  name();
}

const controls = document.getElementById("controls");
if (controls) {
  const slider = controls.querySelector("input"), play = controls.querySelector("button");
  const value = controls.querySelector("output");
  let playing = 0;
  const go = (frame) => {
    now = frame;
    for (const one of document.querySelectorAll(".frame")) one.classList.toggle("now", Number(one.dataset.frame) === frame);
    value.textContent = data.frames[frame].value;
    slider.value = frame;
    slider.setAttribute("aria-valuetext", data.frames[frame].value);
    for (const drawn of document.querySelectorAll(".drawn")) show(drawn, null);
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
