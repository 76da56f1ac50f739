// The tree of a sentence to work on: what is decided is drawn in full, what is suggested is dashed, and a finding of
// the doctor is marked. A word is chosen by a click or the arrow keys; dragging it to another word gives it that head.

import { h, replace, svg } from "./dom.js";
import { describeWord } from "./describe.js";
import { percent } from "./text.js";
import { otherArcs } from "./treeview.js";
import { drawTree } from "./tree.js";

const FAR = 6;

export class Board {
  constructor({ onselect, onhead }) {
    this.onselect = onselect;
    this.onhead = onhead;
    this.element = h("div", {
      class: "board canvas", tabindex: "0", role: "application", "aria-roledescription": "tree editor",
      "aria-label": "Tree of the sentence", "aria-describedby": "board-help",
    });
    // Read when they change: to ask for them after a new tree would have it laid out at once.
    this.view = { left: 0, width: 0 };
    this.element.addEventListener("scroll", () => { this.view.left = this.element.scrollLeft; }, { passive: true });
    new ResizeObserver(([box]) => { this.view.width = box.contentRect.width; }).observe(this.element);
    this.element.addEventListener("pointerdown", (event) => this.begin(event));
    this.element.addEventListener("pointermove", (event) => this.move(event));
    this.element.addEventListener("pointerup", (event) => this.end(event));
    this.element.addEventListener("pointercancel", () => this.forgetDrag());
  }

  // `tree` has words, heads, labels, tags, probabilities; `marks` says of each word what is suggested or found.
  show(tree, marks) {
    this.tree = tree;
    const { picture, place } = drawTree(tree);
    this.picture = picture;
    this.place = place;
    this.nodes = [...picture.querySelectorAll(".node")].sort((a, b) => a.dataset.word - b.dataset.word);
    this.nodes.forEach((node, word) => this.mark(node, word, marks[word]));
    picture.setAttribute("role", "presentation");
    picture.removeAttribute("aria-label");
    picture.querySelector("desc")?.remove();
    replace(this.element, picture);
    if (this.view.left) this.scroll();
  }

  mark(node, word, { head, tag, finding }) {
    node.classList.toggle("suggested", head);
    node.classList.toggle("tag-suggested", tag);
    node.classList.toggle("finding", Boolean(finding));
    const label = [describeWord(this.tree, word), head && `suggested, ${percent(this.tree.probabilities.heads[word])}`,
      this.tree.tags?.[word] && `tag ${this.tree.tags[word]}`,
      finding && `the doctor suggests ${finding}`].filter(Boolean).join("; ");
    node.setAttribute("role", "button");
    node.setAttribute("id", `word-${word + 1}`);
    node.setAttribute("aria-label", label);
    if (finding) {
      const x = this.place.layout.centres[word];
      node.append(svg("path", { class: "flag", d: `M${x - 5} ${this.place.height - 9}h10l-5 7z` }));
    }
  }

  // Dashed arcs to what the doctor would have.
  drawFindings(arcs) {
    for (const { word, head, share } of arcs) {
      this.picture.append(otherArcs(word, [[head, share]], this.place));
    }
  }

  select(word, { target = null } = {}) {
    for (const node of this.nodes) node.classList.remove("chosen", "target");
    this.nodes[word]?.classList.add("chosen");
    if (target !== null && target > 0) this.nodes[target - 1]?.classList.add("target");
    this.picture.classList.toggle("to-root", target === 0);
    this.element.setAttribute("aria-activedescendant", `word-${(target || 0) > 0 ? target : word + 1}`);
    this.reveal(target > 0 ? target - 1 : word);
  }

  reveal(word) {
    const { left, width } = this.view;
    if (!width || this.place.layout.width <= width) return;
    const x = this.place.layout.centres[word];
    const half = this.place.layout.halves[word] + 20;
    const aim = x - half < left ? x - half : Math.max(left, x + half - width);
    if (aim !== left) {
      this.view.left = Math.max(0, aim);
      this.scroll();
    }
  }

  // With the next picture, which is laid out then anyway.
  scroll() {
    requestAnimationFrame(() => { this.element.scrollLeft = this.view.left; });
  }

  wordAt(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".board .node");
    return node ? Number(node.dataset.word) : null;
  }

  begin(event) {
    const word = this.wordAt(event);
    if (word === null || event.button) return;
    this.drag = { word, x: event.clientX, y: event.clientY, far: false };
  }

  move(event) {
    if (!this.drag || event.pointerType === "touch") return;
    const { word, x, y } = this.drag;
    this.drag.far ||= Math.hypot(event.clientX - x, event.clientY - y) > FAR;
    if (!this.drag.far) return;
    const { layout, ground } = this.place;
    const start = layout.centres[word - 1];
    const box = this.picture.getBoundingClientRect();
    const [toX, toY] = [event.clientX - box.left, event.clientY - box.top];
    this.line ??= this.picture.appendChild(svg("path", { class: "dragged" }));
    this.line.setAttribute("d", `M${start} ${ground}Q${(start + toX) / 2} ${Math.min(ground, toY) - 30} ${toX} ${toY}`);
  }

  end(event) {
    const { drag } = this;
    this.forgetDrag();
    if (!drag) return;
    const aim = this.wordAt(event);
    if (!drag.far) {
      this.element.focus();
      this.onselect(drag.word - 1);
    } else if (aim && aim !== drag.word) this.onhead(drag.word - 1, aim);
    else if (!aim && this.isAbove(event)) this.onhead(drag.word - 1, 0);
  }

  isAbove(event) {
    const box = this.picture.getBoundingClientRect();
    return event.clientY < box.top + this.place.metrics.margin * 2;
  }

  forgetDrag() {
    this.drag = null;
    this.line?.remove();
    this.line = null;
  }

  get rtl() {
    return this.place.rtl;
  }
}
