// Marks of figures show their row of the table: under the pointer, or by the arrow keys once the figure has the focus.
(() => {
  const tip = document.getElementById("tip");
  let shown = null;
  // While the keys choose the mark, a pointer that rests where a scroll brings another one does not.
  let keys = false;

  const row = (mark) => mark.closest("figure").querySelector(`.numbers tr[data-row="${mark.dataset.row}"]`);

  const hide = () => {
    shown?.classList.remove("here-now");
    shown = null;
    tip.hidden = true;
  };

  // Beside its mark, wherever the page is scrolled to.
  const place = () => {
    if (!shown) return;
    const box = shown.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - size.width / 2), innerWidth - size.width - 8);
    const above = box.top - size.height - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 4 ? above : Math.min(box.bottom + 8, innerHeight - size.height - 4)}px`;
  };

  const show = (mark) => {
    const cells = row(mark)?.cells;
    if (!cells) return;
    hide();
    shown = mark;
    mark.classList.add("here-now");
    const names = [...mark.closest("figure").querySelectorAll(".numbers thead th")].map((head) => head.textContent);
    tip.replaceChildren();
    [...cells].forEach((cell, i) => {
      if (cell.textContent === "") return;
      const line = document.createElement(i === 0 ? "b" : "div");
      line.textContent = i === 0 ? cell.textContent : `${names[i]}: ${cell.textContent}`;
      tip.append(line);
    });
    tip.hidden = false;
    place();
  };

  // A square of pairs is drawn as a few lines; here each pair gets a mark.
  for (const svg of document.querySelectorAll("svg[data-heat]")) {
    const [n, left, top, cell] = ["heat", "left", "top", "cell"].map((name) => Number(svg.dataset[name]));
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        if (i === j) continue;
        const [low, high] = [Math.min(i, j), Math.max(i, j)];
        const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        const row = low * n - (low * (low + 1)) / 2 + high - low - 1;
        const place = { class: "mark spot", "data-row": row, x: left + cell * j, y: top + cell * i, width: cell, height: cell };
        for (const [name, value] of Object.entries(place)) mark.setAttribute(name, value);
        svg.append(mark);
      }
    }
  }

  for (const svg of document.querySelectorAll("svg.figure")) {
    const marks = [...svg.querySelectorAll(".mark")].sort((a, b) => a.dataset.row - b.dataset.row);
    if (marks.length === 0) continue;
    svg.tabIndex = 0;
    let at = -1;
    const point = (event) => {
      if (event.type === "pointerdown" || event.movementX || event.movementY) keys = false;
      const mark = event.target.closest(".mark");
      if (mark && mark !== shown && !keys) show(mark);
    };
    for (const kind of ["pointerover", "pointermove", "pointerdown"]) svg.addEventListener(kind, point);
    svg.addEventListener("pointerleave", () => keys || hide());
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        at = (at + step + marks.length) % marks.length;
        keys = true;
        marks[at].scrollIntoView({ block: "nearest", inline: "nearest" });
        show(marks[at]);
        event.preventDefault();
      } else if (event.key === "Enter" && shown) {
        shown.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      } else if (event.key === "Escape") {
        hide();
      }
    });
  }
  addEventListener("scroll", place, { passive: true });
})();
